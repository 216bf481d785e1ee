"""Further names of illnesses, injuries and conditions, by language, and how one says that somebody has them.

Tables and nothing else, beside `illness_words.py` and `illness_sayings.py`. Lower case without accents that ASCII
letters carry; a trailing `*` lets a word go on.
"""

from mace.governance.detectors.findings import phrases, words

CONDITIONS = phrases(
    """
    cancer*, cancro*, carcinom*, adenocarcinom*, tumor*, tumour*, melanom*, hiv*, vih, covid*, tuberc*, tuberk*,
    sifilis*, syphilis*, chlamydia*, diabetes gestacional*, diabete gestazionale*, postnatal*, postpartum depression*,
    puerper*, social fobi*, fobi*, syndroom van*, sindrome de*, sindrome di*, syndrome de*, downs syndrom*,
    aspergers*, borrelia*, borreliose*, colique*, colica renal*, retraso madurativo*, retraso mental*, discapacidad*,
    deficiencia visual, deficiencia auditiva, deficiencia intelectual, invalidez*, bypass*, baypas*, by-pass*,
    marcapassos*, marcapasos*, marca-passo*, stent*, dialys*, dialis*, hemodialis*, chemiotera*, chemiotherap*,
    quimiotera*, kemoterapi*, radioterapi*, magersucht*, magersuchtig*, schizophren*, ataque epileptico*,
    colpo apoplet*, zawał serca, udar mozgu, epilepsja*, kardiomiopati*, polip*, cysta*, torbiel*, dyslipid*,
    dislipid*, dislipem*, adipositas*, ubergewicht*, hipercolest*, ipercolest*, hyperlipid*, dolor cronico,
    dor lombar, cervicalg*, dorsalg*, tortícolis, torticol*, esguince*, luxacao*, luxacion*, tibia, perone rot*,
    costilla rota, brazo roto, pierna rota, perna quebrada, braco quebrado, gamba rotta, braccio rotto,
    gebrochenes bein, gebrochener arm, jambe cassee, bras casse, 産後うつ*, 産後鬱*, 卵アレルギー*, 食物アレルギー*,
    ステージ*, 陽性*, 肺気腫*, 胃がん*, 大腸がん*, 乳がん*, 肝がん*, 前立腺がん*, 子宮頸がん*, 卵巣がん*, 食道がん*,
    产后抑郁*, 急性阑尾炎*, 慢性胃炎*, 阳性, 呈阳性*, 花生过敏*, 海鲜过敏*, 青霉素过敏*, 花粉过敏*, 药物过敏*, 肝癌*,
    胃癌*, 乳腺癌*, 肺癌*, 前列腺癌*, 宫颈癌*, 白癜风*, 心梗*, 이석증*, 위궤양*, 아토피 피부염*, 지루성*,
    임신성 당뇨*, 임신 당뇨*, 대장용종*, 용종*, 갑상선암*, 갑상선 기능*, 유방암*, 자궁암*, 전립선*, 난소암*,
    족저근막염*, 오십견*, 허리통증*, 요통*, सीने में दर्द*, बाईपास*, बायपास*, हेपेटाइटिस बी*, एचआईवी पॉजिटिव*,
    कोरोना पॉजिटिव*, स्टेंट*, दिल में ब्लॉकेज*, ब्लॉकेज*, मानसिक रोग*, मानसिक बीमारी*, सर्वाइकल*, घुटनों का दर्द*,
    लीवर की बीमारी*, लिवर की बीमारी*, पेट का अल्सर*, स्तन कैंसर*, ब्लड कैंसर*, मुंह का कैंसर*, फेफड़ों का कैंसर*,
    गर्भाशय*, नस दबना*, वर्टिगो*, चिकन पॉक्स*, चेचक*, infeccao por vih, infecao por vih, infeccion por vih,
    infezione da hiv, lombociatalg*, lombociat*, dna moczanow*, dny moczanow*, larbenshals*, chronische vermoeid*,
    nodulo malign*, estres laboral, hipertenso, hipertensa, obeso, obesa, cardiaco, cardiaca, diabeet, bipolaridade*,
    infartou, vasculaire dement*, glutenintoler*, stres*storung*, stress posttraum*, stres pourazow*, toc, hernia l*,
    yuksek kolesterol*, स्तन में गाँठ*, स्तन में गांठ*, बधिर*, शुगर लेवल*, गाँठ*, थायरायड*, प्रोस्टेट*, 성조숙증*,
    b형 간염*, c형 간염*, 肺气肿*, 慢性肾病*, gonartros*, coxartros*, calculos biliares, calculos renais,
    calcoli biliari, rinossinus*, rinosinus*, arterioscler*, arterioskler*, ateroscler*, atheroscler*, aterosclero*,
    doenca hepatica*, doenca renal*, doenca cardiaca*, doenca autoimune*, enfermedad hepatica*, enfermedad renal*,
    enfermedad cardiaca*, enfermedad autoinmune*, malattia del*, malattia autoimm*, malattie del*,
    stress pos-traumatico, estresse pos-traumatico, estres postraumatico, vaginismo*, disfuncao eretil,
    disfuncion erectil, disfunzione erettile, erektile dysf*, erektil dysf*, erectiestoornis*, candidias*, candidos*,
    hiperplasia*, sarcom*, sarkom*, distoni*, dystoni*, gaguez*, gagueira*, tartamude*, balbuzie*, stotteren*,
    stamning*, cegueira*, ceguera*, cecita*, blindheid*, blindhet*, bronquiect*, enfisem*, emphysem*, emfysem*,
    emfizem*, fissura anal, fisura anal, ragade anale, helicobacter*, nodulo na tireoide, nodulos*, noduli*,
    vicio em*, intolerancia a la lactosa, intolerancia a lactose, intolleranza al*, lactose-intoler*, morbo di*,
    enfermedad de*, mal de*, doenca de*, maladie d*, aderverkalk*, aderforkalk*, arterieverkalk*, thalassem*,
    talasem*, myeloom*, sarcoom*, cvs, alopec*, akne, acne grave, acne severo, acne severa, kanslig tarm,
    irritabel tarm, langtidscovid*, postcovid*, graves sjukdom*, graves*, underfunktion*, me/cfs, miazdzyc*,
    miażdżyc*, chorobe watroby, choroba watroby, chorobe serca, choroba serca, chorobe nerek, choroba nerek, psychoz*,
    nietrzymani* moczu, dusznic*, miesak*, mięsak*, bielactw*, łysien*, tradzik*, trądzik*, zzsk, dne moczanow*,
    rozedm*, nietolerancj*, kamieni* zołciow*, kamienie żołciow*, zatok*, iltihab*, iltihap*, damar sertl*,
    damar tıkan*, karaciger hasta*, karaciger yetm*, kalp hasta*, psikoz*, sertlesme*, sigil*, idrar kacır*, anjin*,
    sac dokul*, sarkoid*, intolerans*, mide fıtı*, gebelik sekeri*, spondilit*, miyelom*, gut hasta*, obsesif kompul*,
    bozuklug*, kompulsif*, कान का संक्रमण*, फोबिया*, मनोविकृति*, नपुंसकता*, फंगल*, संक्रमण*, इन्फेक्शन*, इंफेक्शन*,
    एनजाइना*, वैरिकोज*, न्यूरोपैथी*, अंधापन*, गंजापन*, फाइब्रोमायल्जिया*, पैंक्रियाटाइटिस*, रिफ्लक्स*, चक्कर आने*,
    हृदय गति*, दिमागी बुखार*, मस्तिष्क ज्वर*, चिकनपॉक्स*, हैजा*, रेबीज*, गुर्दे की*, किडनी की*, साइनसाइटिस*,
    घुटनों का गठिया*, पित्त की पथरी*, धमनियों में*, मूंगफली*, डर की बीमारी*, मानसिक तनाव*, नींद न आना*, 腕管综合征*,
    勃起功能*, 尿失禁*, 神经病变*, 脱发*, 乳糖不耐*, 赌瘾*, 肺病*, 尿路感染*, 综合征*, 白斑*, 動脈硬化*, 动脉硬化*,
    ピーナッツアレルギー*, 変形性膝関節症*, 神経痛*, 동맥경화*, 발기부전*, 요실금*, 백반증*, 무릎 관절염*,
    외상 후 스트레스*, 외상후*, 다발성 골수종*, 도박 중독*, 사회불안*, 강박장애*, slipped disc*, herniated dis*,
    bulging disc*, concussion*, brain injur*, brain tumo*, head injur*, broken leg, broken arm, broken hip,
    broken wrist, broken ankle, broken rib*, fractured*, torn acl, torn meniscus, torn ligament*, whiplash*,
    carpal tunnel*, tennis elbow, frozen shoulder, plantar fasc*, bronchitis*, bronchiect*, sinusitis*, laryngit*,
    tonsillit*, hay fever, food poisoning, stomach ulcer*, gallstone*, kidney stone*, kidney infection*,
    urinary tract*, bladder infection*, fatty liver, liver failure, liver disease*, jaundice, high cholesterol,
    high blood pressure, low blood pressure, irregular heartbeat, heart condition*, heart murmur*, blood clot*,
    varicose vein*, prediabet*, underactive thyroid, overactive thyroid, graves disease, graves', addison*, cushing*,
    hashimoto*, pernicious*, long covid, glandular fever, whooping cough, scarlet fever, typhoid*, dengue*, zika*,
    monkeypox*, mpox, hpv, genital wart*, panic attack*, panic disorder*, social anxiety*, phobia*, agoraphobi*,
    self-harm*, suicidal*, suicide attempt*, eating disorder*, binge eating*, addiction*, addicted to*,
    substance abuse*, alcohol dependen*, gambling addict*, learning disab*, dyslexi*, dyspraxi*, dyscalculi*,
    stutter*, hearing loss, deafness, blindness, low vision, macular degen*, retinal detach*, dry eye*, keratoconus,
    infertil*, preeclampsia*, postnatal depress*, postpartum*, ectopic*, stillbirth*, menopause*, fibroid*,
    ovarian cyst*, prostate enlarge*, enlarged prostate, erectile dysf*, incontinen*, crohn*, diverticulit*,
    lactose intoleran*, gluten intoleran*, peanut allerg*, nut allerg*, allergic to*, anaphyla*, rosacea*, alopecia*,
    cellulit*, ringworm*, scabies, shingles, skin basal cell*, spina bifida, cleft*, club foot, chronic fatigue*,
    chronic pain*, neuralgi*, bell's palsy, trigeminal*, motor neurone*, essential tremor*, restless leg*, seizure*,
    brain aneurysm*, subarachnoid*, mini stroke*, mini-stroke*, cardiac arrest*, cardiomyopath*, endocard*, myocard*,
    haemorrhoid*, hemorrhoid*, bedsore*, pressure ulcer*, sciatic*, spinal stenosis*, osteoarthrit*, bursit*,
    tendonit*, tendinit*, gangrene*, sepsis*, hyperthyroid*, hypothyroid*, gastroenter*, gastrit*, pancreat*,
    cholecyst*, hysterectom*, mastectom*, colostom*, dialysis, organ transplant*, bone marrow*, radiotherap*,
    chemotherap*, bandscheib*, gehirnersch*, knochenbruch*, beinbruch*, armbruch*, oberschenkelhals*, kreuzbandriss*,
    leistenbruch*, sehnenscheiden*, karpaltunnel*, tennisarm*, hexenschuss*, nierenstein*, gallenstein*,
    nierenversag*, niereninsuff*, herzinsuff*, herzfehler*, herzrhythm*, herzmuskel*, herzklappen*, angina pectoris,
    bluthochdruck*, magengeschwur*, magenschleim*, reizdarm*, darmverschl*, blasenentz*, bronchit*, heuschnupf*,
    nesselsucht*, gurtelrose*, windpocken*, keuchhusten*, lungenembol*, lungenfibros*, lungenkrebs*, hautkrebs*,
    leberzirrh*, leberkrebs*, fettleber*, bauchspeicheldr*, unterfunktion*, uberfunktion*, angststor*, panikatt*,
    essstor*, zwangsst*, psychos*, wochenbettdepr*, suizid*, spielsucht*, drogensucht*, medikamentenabh*,
    lese-rechtschr*, legasthen*, stottern*, schwerhor*, horsturz*, tinnitus*, grauer star, gruner star, grauen star,
    grunen star, netzhaut*, kurzsicht*, kinderwunsch*, eileiter*, endometri*, myom*, wechseljahr*, inkontinen*,
    blutarm*, eisenmangel*, hamorrhoid*, krampfader*, thrombos*, offenes bein, dekubitus*, querschnittg*, hirntumor*,
    hirnblut*, hirnhautentz*, fsme, schlaganf*, parkinson*, demenz*, als-erkrank*, mukoviszid*, trisomie*,
    hernie discale*, lombalgie*, sciatique*, entorse*, fracture*, commotion cerebrale*, traumatisme cranien*,
    canal carpien*, tendinite*, rupture des ligaments, angine*, bronchite*, sinusite*, pneumonie*, tuberculose*,
    embolie pulmonaire*, phlebite*, infarctus*, crise cardiaque*, insuffisance cardiaque*, insuffisance renale*,
    hypertension*, cholesterol*, arythmie*, fibrillation*, avc, accident vasculaire*, anevrisme*, calculs renaux,
    calculs biliaires, ulcere*, gastrite*, reflux*, maladie de crohn, colopathie*, rectocolite*, cirrhose*, hepatite*,
    diabete*, goitre*, anemie*, leucemie*, lymphome*, melanome*, tumeur*, metastase*, depression*, burn-out*,
    bipolair*, troubles anxieux, trouble anxieux, trouble bipolaire, crises d'angoisse, attaques de panique,
    anorexie*, boulimie*, alcoolisme*, autisme*, dyslexie*, surdite*, acouphene*, glaucome*, cataracte*, dmla,
    eczema*, psoriasis*, urticaire*, herpes*, endometriose*, fibrome*, fausse couche, grossesse extra*,
    sclerose en plaques, epilepsie*, alzheimer*, demence*, paralysie*, hemiplegie*, myopathie*, mucoviscidose*,
    drepanocyt*, hemophilie*, lupus*, polyarthrite*, arthrose*, osteoporose*, fibromyalgie*, spondylarthrite*,
    apnee du sommeil, narcolepsie*, covid long, hernia discal*, lumbago*, lumbalgia*, ciatica*, fractura*, conmocion*,
    traumatismo*, tunel carpiano, tendinitis, rotura de*, bronquitis*, neumonia*, tuberculosis*, tromboembol*,
    trombosis*, embolia*, infarto*, arritmia*, insuficiencia*, cardiopatia*, soplo*, colesterol*, hipercolester*,
    derrame*, ictus, aneurisma*, ulcera*, gastritis*, colitis*, cirrosis*, hepatitis*, higado graso, diabetes*,
    hipotiroid*, hipertiroid*, bocio*, anemia*, leucemia*, linfoma*, melanoma*, metastasis*, depresion*, ansiedad*,
    bipolar*, ataques de panico, ataque de panico, anorexia*, bulimia*, adiccion*, ludopat*, alcoholismo*, autismo*,
    asperger*, tdah, dislexia*, sordera*, hipoacusia*, acufenos, glaucoma*, cataratas, miopia*, eccema*, urticaria*,
    dermatitis*, zoster*, vph, clamidia*, gonorrea*, endometriosis*, miomas*, aborto*, esclerosis*, epilepsia*,
    demencia*, paralisis*, miastenia*, distrofia*, fibrosis*, hemofilia*, artritis*, artrosis*, osteoporosis*,
    fibromialgia*, espondil*, apnea*, narcolepsia*, migrana*, vertigo*, celiac*, celiaq*, alergia*, alergico*,
    alergica*, asma*, epoc, rinitis*, apendicitis*, peritonitis*, pancreatitis*, hernia*, hemorroides*, varices*,
    chagas*, malaria*, ernia*, lombalgia*, sciatalgia*, colpo della strega, distorsione*, frattura*, fratture*,
    commozione*, trauma cranico, tunnel carpale, lesione del*, polmonite*, tubercol*, trombo*, flebite*, aritmia*,
    scompenso*, soffio al cuore, cardiopat*, ipercolesterol*, colesterolo*, aneurism*, calcoli*, colite*, cirrosi*,
    epatite*, fegato grasso, diabet*, ipotiroid*, ipertiroid*, gozzo*, leucemi*, linfom*, metastas*, ansia,
    disturbo d'ansia, attacchi d'ansia, crisi d'ansia, anoress*, bulimi*, dipendenz*, ludopati*, alcolism*, autism*,
    adhd, dislessi*, sordit*, ipoacus*, acufen*, glaucom*, catarat*, miopi*, eczem*, psorias*, orticari*, dermatit*,
    endometrios*, fibrom*, cisti ovaric*, sclerosi*, epiless*, paralisi*, miasteni*, distrofi*, fibrosi*, emofili*,
    artrit*, artros*, osteoporos*, fibromialg*, spondil*, apnee*, narcoless*, emicran*, cefalea*, vertigin*, allergi*,
    bpco, rinit*, appendicit*, peritonit*, pancreatit*, emorroid*, varici*, favismo*, talassem*, hernia de disco,
    dor cronica, fratura*, concussao*, tunel do carpo, bursite*, bronquite*, rinite*, amigdalite*, pneumonia*,
    trombose*, enfarte*, infarte*, sopro no coracao, avc*, pedra nos rins, pedras nos rins, pedra na vesicula,
    refluxo*, cirrose*, figado gorduroso, esteatose*, diabetic*, hipotireoid*, hipertireoid*, depressao*, deprimid*,
    ansiedade*, transtorno*, perturbacao*, crises de panico, crise de panico, sindrome do panico, burnout,
    dependente quimic*, alcoolismo*, alcoolatra*, autista*, phda, surdez*, surdo*, zumbido*, catarata*, ceratocone*,
    psoriase*, dermatite*, cobreiro*, hiv, aids, sida, gonorreia*, mioma*, ovario policistico, ovarios policisticos,
    pre-eclampsia, esclerose*, epileptic*, paralisia*, fibrose*, artrite*, artrose*, espondilite*, apneia*,
    enxaqueca*, vertigem*, labirintite*, intolerante a lactose, asmatic*, dpoc, apendicite*, peritonite*,
    pancreatite*, hemorroid*, varizes*, chikungunya*, febre amarela, leptospirose*, toxoplasmose*, meningite*,
    hanseniase*, esquizofreni*, borderline, tept, obesidade*, hipertens*, pressao alta, gravidez de risco, cadeirante,
    paraplegic*, tetraplegic*, rughernia*, liesbreuk*, hersenschudding*, botbreuk*, gebroken been, gebroken arm,
    gebroken heup, heupfractuur*, kruisband*, tenniselleboog*, carpale tunnel*, slijmbeurs*, peesontsteking*,
    hooikoorts*, longontst*, longembol*, longfibros*, longkanker*, tuberculos*, hartinfarct*, hartfalen*, hartritme*,
    hartstilstand*, hartklep*, hoge bloeddruk, verhoogde bloeddruk, hoog cholesterol, beroerte*, herseninfarct*,
    hersenbloed*, hersentumor*, hersenvlies*, aneurysma*, nierst*, nierfal*, nierinsuff*, galst*, maagzw*, maagontst*,
    darmontst*, darmkanker*, blaasontst*, blaaskanker*, leverciros*, leverkanker*, leververvet*, diabeet*,
    suikerziek*, hypothyreo*, hyperthyreo*, bloedarmoede*, leukemie*, lymfoom*, lymfeklier*, melanoom*, kanker*,
    uitzaai*, borstkanker*, prostaatk*, alvleesklier*, slokdarmkank*, baarmoeder*, eierstok*, depressie*, depressief*,
    paniek*, burnout*, overspannen*, manisch*, schizofren*, psychose*, borderline*, ptss, boulimia*, eetstoornis*,
    verslav*, autis*, dyslex*, doof*, slechthor*, oorsuiz*, glaucoom*, maculadegen*, eczeem*, netelroos*, gordelroos*,
    gonorroe*, syfilis*, vleesboom*, miskraam*, multiple scler*, epilep*, dement*, verlamm*, dwarslaesie*,
    spierziekte*, spierdystrof*, taaislijm*, hemofil*, reuma*, osteopor*, jicht*, fibromyalg*, bechterew*,
    slaapapneu*, narcolep*, migraine*, draaiduizel*, coeliak*, glutenallerg*, lactose-intol*, lactoseintol*,
    allergisch*, pinda-allerg*, notenallerg*, astma*, astmatisch*, copd, blindedarm*, alvleesklierontst*, aambeien*,
    spataderen*, ziekte van pfeiffer, pfeiffer, ziekte van huntington, longziekte*, hartziekte*, darmziekte*,
    hartpatient*, kankerpatient*, nierpatient*, przepuklin*, dyskopati*, wstrzasnieni* mozgu, złamani*, zlamani*,
    złaman*, skrecen*, zerwan*, ciesn* nadgarst*, zapaleni*, angin*, koklusz*, gruzlic*, zatorowos*, zakrzep*, zawał*,
    zawal*, arytmi*, niewydolno*, wada serca, wady serca, udar*, tetniak*, kamieni* nerk*, kamica*, wrzod*, refluks*,
    marskos*, stłuszczen*, cukrzyc*, niedoczynnos*, nadczynnos*, anemi*, białaczk*, chłoniak*, czerniak*, raka,
    rakiem, nowotw*, przerzut*, depresj*, nerwic*, dwubiegun*, chad, schizofreni*, atak* paniki, anoreksj*,
    uzaleznien*, alkoholiz*, autyzm*, dyslekcj*, dysleksj*, głuch*, niedosłuch*, szumy uszne, jaskr*, zacm*, egzem*,
    łuszczyc*, pokrzywk*, połpas*, opryszczk*, kiła, kiłe, endometrioz*, miesniak*, mięśniak*, poronien*,
    stwardnieni*, padaczk*, epilepsj*, demencj*, otepien*, paraliz*, porazen*, dystrofi*, mukowiscyd*, hemofili*,
    tocz*, reumat*, artretyz*, zwyrodnien*, osteoporoz*, bezdech*, migren*, zawroty głowy, celiaki*, alergi*,
    uczulen*, astm*, pochp, wyrostek*, hemoroid*, zylak*, borelioz*, otyłos*, nadcisn*, nadciśn*, zespoł*, zespol*,
    rwa kulszowa, rwy kulszowej, rwe kulszowa, ospa*, różyczk*, zespol downa, diskbrack*, ryggskott*, hjarnskakning*,
    benbrott*, brutet ben, bruten arm, brutit*, fraktur*, hoftfraktur*, korsband*, tennisarmbage*, senskideinfl*,
    senskide*, bronkit*, luftrorskat*, bihaleinfl*, lunginfl*, lungemboli*, lungfibros*, lungcancer*, tuberkulos*,
    kikhosta*, halsfluss*, blodpropp*, hjartinfarkt*, hjartattack*, hjartsvikt*, hjartflimmer*, formaksflimmer*,
    hjartfel*, karlkramp*, hogt blodtryck, hoga blodfetter, hogt kolesterol, stroke*, hjarnblodn*, hjarninfarkt*,
    hjarntumor*, hjarnhinne*, aneurysm*, njursten*, njursvikt*, gallsten*, magsar*, magkatarr*, tarminfl*,
    tarmcancer*, urinvagsinf*, blasinfl*, blascancer*, levercirros*, levercancer*, fettlever*, skrumplever*, hepatit*,
    gulsot*, diabetiker*, typ 1-diabetes, typ 2-diabetes, sockersjuk*, hypotyreos*, hypertyreos*, giftstruma*,
    blodbrist*, jarnbrist*, leukemi*, lymfom*, lymfk*, brostcancer*, prostatacancer*, bukspott*, livmoder*, aggstock*,
    hudcancer*, deprimerad*, angest*, panikangest*, paniksyndrom*, utmattning*, utbrand*, utmattad*, manodepr*,
    psykos*, ptsd, tvangssyndrom*, anorexi*, atstorning*, missbruk*, beroende*, alkoholis*, alkoholist*, horselskad*,
    glaukom*, gron gra makuladegen*, eksem*, nasselutslag*, baltros*, klamydia*, gonorre*, missfall*, havandeskapsf*,
    multipel skleros, epileps*, epileptiker*, demens*, forlamn*, forlamad*, muskeldystr*, muskelsjuk*, cystisk fibros,
    blodarsjuka*, reumatis*, reumatisk*, ledgangsreumat*, bensk*, gikt*, somnapne*, sovapne*, narkolep*, migran*,
    yrsel*, glutenintol*, laktosintol*, allergisk*, notallergi*, jordnotsallergi*, pollenallergi*, astmatiker*,
    blindtarm*, bukspottkortel*, hemorrojd*, aderbrack*, tbe, hjartsjuk*, njursjuk*, lungsjuk*, cancersjuk*,
    psykiskt sjuk, downs syndrom, cp-skada*, bel fıtıg*, boyun fıtıg*, fıtık*, beyin sarsıntısı*, kırık*, kırıgı*,
    capraz bag*, karpal tunel*, bronsit*, sinuzit*, zaturre*, zatürre*, verem*, tuberkuloz*, emboli*, pıhtı*,
    kalp krizi*, kalp yetmezlig*, ritim bozuk*, tansiyon*, kolesterol*, inme*, felc*, anevrizma*, bobrek tası*,
    bobrek yetmez*, safra tası*, mide ulseri*, ulser*, reflu*, siroz*, diyabet*, guatr*, kansız*, losemi*, lenfoma*,
    kanser*, metastaz*, depresyon*, anksiyete*, tukenmislik*, sizofreni*, anoreksi*, bagımlı*, alkolik*, otizm*,
    otistik*, disleksi*, kulak cınlaması*, glokom*, katarakt*, egzama*, sedef*, urtiker*, ucuk*, endometriozis*,
    miyom*, ms hastası*, epilepsi*, demans*, felcli*, kas hastalıgı*, kistik fibroz*, romatizma*, kireclen*,
    fibromiyalji*, apne*, bas donmesi*, colyak*, alerji*, astım*, koah*, apandisit*, pankreat*, basur*, varis*,
    kovid*, obez*, ギックリ腰, ぎっくり腰, 腰痛*, 腰椎*, 骨折*, 捻挫*, 脳震盪*, 靭帯*, 半月板*, 腱鞘炎*, 気管支炎*,
    副鼻腔炎*, 蓄膿症*, 扁桃炎*, 肺炎*, 肺がん*, 肺塞栓*, 結核*, 百日咳*, インフル*, コロナ感染*, 新型コロナ*, 血栓*,
    心筋梗塞*, 心筋症*, 心臓病*, 心疾患*, 弁膜症*, 不整脈*, 狭心症*, 高血圧*, 低血圧*, 高コレステロール*, 脂質異常*,
    脳梗塞*, 脳出血*, くも膜下*, 脳卒中*, 動脈瘤*, 脳腫瘍*, 髄膜炎*, 腎結石*, 尿管結石*, 腎炎*, 腎不全*, 透析*,
    膀胱炎*, 膀胱がん*, 胆石*, 胆のう*, 胃潰瘍*, 十二指腸潰瘍*, 胃炎*, 逆流性*, 大腸炎*, 過敏性腸*, 腸閉塞*, 肝炎*,
    肝硬変*, 脂肪肝*, 膵炎*, 膵臓がん*, 糖尿*, バセドウ*, 橋本病*, 貧血*, 白血病*, 悪性リンパ腫*, メラノーマ*, 腫瘍*,
    ガン, がん, 転移*, うつ*, 鬱*, 抑うつ*, 適応障害*, 不安障害*, 不安神経症*, パニック障害*, パニック発作*,
    強迫性障害*, 双極性*, 躁うつ*, 統合失調症*, 摂食障害*, 拒食症*, 過食症*, 依存症*, アル中, 自閉症*,
    自閉スペクトラム*, 発達障害*, 注意欠陥*, アスペルガー*, 学習障害*, 知的障害*, 難聴*, 耳鳴り*, メニエール*,
    突発性難聴*, 緑内障*, 白内障*, 黄斑変性*, アトピー*, 湿疹*, じんましん*, 蕁麻疹*, 乾癬*, 帯状疱疹*, ヘルペス*,
    梅毒*, クラミジア*, 淋病*, エイズ*, 子宮筋腫*, 子宮内膜症*, 卵巣嚢腫*, 流産*, 切迫早産*, 不妊*, 更年期障害*,
    多発性硬化症*, てんかん*, パーキンソン*, アルツハイマー*, 認知症*, 脳性麻痺*, 筋ジストロフィー*, 筋萎縮*,
    ダウン症*, 血友病*, 膠原病*, ループス*, リウマチ*, 関節リウマチ*, 変形性*, 骨粗*, 痛風*, 線維筋痛症*,
    睡眠時無呼吸*, 不眠症*, ナルコレプシー*, 片頭痛*, 偏頭痛*, めまい*, アレルギー*, 花粉症*, 喘息*, ぜんそく*, 盲腸*,
    虫垂炎*, 痔*, 静脈瘤*, ヘルニア*, 敗血症*, 腰肌劳损*, 脑震荡*, 扭伤*, 韧带*, 支气管炎*, 鼻炎*, 鼻窦炎*, 扁桃体炎*,
    肺结核*, 肺结节*, 流感*, 甲流*, 新冠*, 心肌炎*, 心肌梗塞*, 心脏病*, 冠心病*, 心绞痛*, 早搏*, 高血压*, 低血压*,
    高血脂*, 高脂血症*, 脑梗*, 脑出血*, 脑瘤*, 脑炎*, 动脉瘤*, 肾结石*, 肾炎*, 肾衰竭*, 膀胱癌*, 胆结石*, 胆囊炎*,
    胃溃疡*, 反流性*, 肠炎*, 肠癌*, 肝硬化*, 乙肝*, 丙肝*, 甲肝*, 胰腺炎*, 胰腺癌*, 糖尿病*, 甲亢*, 甲减*, 贫血*,
    淋巴瘤*, 肿瘤*, 抑郁*, 焦虑*, 躁郁*, 双相*, 惊恐*, 强迫症*, 精神分裂*, 厌食*, 暴食*, 成瘾*, 酗酒*, 自闭*, 孤独症*,
    多动症*, 阿斯伯格*, 智力障碍*, 耳聋*, 耳鸣*, 青光眼*, 黄斑*, 荨麻疹*, 银屑病*, 牛皮癣*, 带状疱疹*, 疱疹*, 衣原体*,
    尖锐湿疣*, 艾滋*, 子宫肌瘤*, 子宫内膜*, 多囊*, 卵巢囊肿*, 流产*, 不孕*, 更年期*, 癫痫*, 帕金森*, 老年痴呆*,
    阿尔茨海默*, 脑瘫*, 肌无力*, 肌萎缩*, 渐冻*, 唐氏*, 红斑狼疮*, 类风湿*, 风湿*, 关节炎*, 骨质疏松*, 痛风*, 强直*,
    颈椎*, 椎间盘*, 睡眠呼吸*, 失眠*, 偏头痛*, 眩晕*, 美尼尔*, 哮喘*, 慢阻肺*, 阑尾炎*, 痔疮*, 静脉曲张*, 疝气*,
    败血症*, 허리디스크*, 허리 목디스크*, 목 추간판*, 골절*, 뇌진탕*, 염좌*, 십자인대*, 반월판*, 손목터널*, 기관지염*,
    비염*, 축농증*, 편도염*, 폐렴*, 폐암*, 폐결핵*, 결핵*, 독감*, 코로나*, 혈전*, 심근경색*, 심근염*, 심장병*,
    협심증*, 부정맥*, 심부전*, 고혈압*, 저혈압*, 고지혈증*, 뇌경색*, 뇌출혈*, 뇌졸중*, 뇌종양*, 뇌수막염*, 동맥류*,
    신장결석*, 요로결석*, 신부전*, 신장염*, 투석*, 방광염*, 방광암*, 담석*, 위염*, 위암*, 역류성*, 장염*, 대장암*,
    과민성*, 간염*, 간경화*, 간경변*, 간암*, 지방간*, 췌장염*, 췌장암*, 당뇨*, 빈혈*, 백혈병*, 림프종*, 종양*,
    우울증*, 조울증*, 불안장애*, 공황*, 강박*, 조현병*, 거식증*, 폭식증*, 섭식장애*, 알코올 의존*, 알코올중독*, 자폐*,
    아스퍼거*, 난독증*, 지적장애*, 난청*, 이명*, 녹내장*, 백내장*, 황반변성*, 아토피*, 습진*, 두드러기*, 건선*,
    대상포진*, 헤르페스*, 매독*, 에이즈*, 자궁근종*, 자궁내막증*, 다낭성*, 유산*, 난임*, 불임*, 갱년기*,
    다발성 경화증*, 뇌전증*, 파킨슨*, 알츠하이머*, 치매*, 뇌성마비*, 근무력증*, 루게릭*, 다운증후군*, 혈우병*,
    루푸스*, 류마티스*, 관절염*, 골다공증*, 통풍*, 섬유근육통*, 강직성*, 수면무호흡*, 불면증*, 편두통*, 어지럼증*,
    메니에르*, 알레르기*, 천식*, 맹장염*, 충수염*, 치질*, 하지정맥류*, 탈장*, 패혈증*, 크론병*, मधुमेह*, डायबिटीज*,
    डायबीटीज*, शुगर*, उच्च रक्तचाप*, हाई बीपी*, लो बीपी*, बीपी*, ब्लड प्रेशर*, हाइपरटेंशन*, कोलेस्ट्रॉल*,
    दिल का दौरा*, हार्ट अटैक*, हृदय रोग*, दिल की बीमारी*, दिल में छेद*, एंजाइना*, लकवा*, पक्षाघात*, ब्रेन हेमरेज*,
    ब्रेन स्ट्रोक*, स्ट्रोक*, ब्रेन ट्यूमर*, कैंसर*, कैन्सर*, ट्यूमर*, ल्यूकेमिया*, टीबी*, तपेदिक*, क्षय रोग*, दमा*,
    अस्थमा*, एलर्जी*, साइनस*, निमोनिया*, न्यूमोनिया*, ब्रोंकाइटिस*, कोरोना*, कोविड*, डेंगू*, मलेरिया*, टाइफाइड*,
    टायफाइड*, चिकनगुनिया*, पीलिया*, हेपेटाइटिस*, लिवर सिरोसिस*, फैटी लिवर*, किडनी की बीमारी*, किडनी फेल*,
    किडनी स्टोन*, पथरी*, डायलिसिस*, यूटीआई*, अल्सर*, गैस्ट्रिक*, एसिडिटी*, बवासीर*, हर्निया*, अपेंडिक्स*,
    अपेंडिसाइटिस*, थायराइड*, थायरॉयड*, थायरॉइड*, एनीमिया*, खून की कमी*, थैलेसीमिया*, सिकल सेल*, हीमोफीलिया*, एचआईवी*,
    एड्स*, गठिया*, आर्थराइटिस*, अर्थराइटिस*, जोड़ों का दर्द*, कमर दर्द*, स्लिप डिस्क*, साइटिका*, स्पॉन्डिलाइटिस*,
    ऑस्टियोपोरोसिस*, फ्रैक्चर*, गाउट*, मिर्गी*, मिरगी*, माइग्रेन*, पार्किंसन*, पार्किंसंस*, अल्जाइमर*, अल्ज़ाइमर*,
    डिमेंशिया*, भूलने की बीमारी*, स्क्लेरोसिस*, सेरेब्रल पाल्सी*, डिप्रेशन*, अवसाद*, एंग्जायटी*, एंग्ज़ायटी*,
    चिंता विकार*, घबराहट*, पैनिक अटैक*, बाइपोलर*, सिज़ोफ्रेनिया*, सिजोफ्रेनिया*, स्किज़ोफ्रेनिया*, ओसीडी*, पीटीएसडी*,
    ऑटिज्म*, ऑटिज़्म*, एडीएचडी*, डिस्लेक्सिया*, मोतियाबिंद*, ग्लूकोमा*, काला मोतिया*, बहरापन*, सुनने की समस्या*,
    सोरायसिस*, एक्जिमा*, सफेद दाग*, खाज*, हर्पीज*, सिफलिस*, पीसीओडी*, पीसीओएस*, एंडोमेट्रियोसिस*, बांझपन*, गर्भपात*,
    फाइब्रॉइड*, रसौली*, मोटापा*, नशे की लत*, शराब की लत*, कुष्ठ रोग*, सेप्सिस*, डाउन सिंड्रोम*
    """
)

# Persons and verbs beside those of `illness_sayings.py`, by language; a person counts with a verb of the same row.
SICK = (
    (
        """
        i, i'm, i've, he, she, my, his, her, our, me, him, they, mum, mom, dad, father, mother, brother, sister, son,
        daughter, wife, husband, grandma, grandpa, grandfather, grandmother, aunt, uncle, cousin, friend, neighbour,
        neighbor, colleague, boss, boyfriend, girlfriend, partner, kid, baby, nephew, niece, employee, client,
        patient, tenant
        """,
        """
        caring for, care for, found, find, told, has, have, had, having, got, since, off work, because of, due to,
        after, with, from, operat*, surgery, treated, treatment*, tested, suspect*, confirm*, broke, tore, allergic,
        underwent, undergoing, waiting for, hospital*, sick, ill, unwell, diagnos*, recover*, scan, mri, biops*,
        prescri*, inhaler*, medicat*, takes, need, needs, lives, ward, history, signed off, on leave, pregnant,
        miss work, called in sick
        """,
    ),
    (
        """
        ich, mir, mich, mein*, er, sie, ihr*, sein*, wir, unser*, herr, frau, opa, oma, vater, mutter, bruder,
        schwester, sohn, tochter, mann, kind, freund*, kolleg*, chef*, nachbar*, onkel, tante, patient*, mama, papa,
        schwieger*, cousin*, neffe*, nichte*, mitarbeiter*, enkel*
        """,
        """
        habe, hab, hat, hatte, haben, bekam, bekommen, wegen, mit, nach, seit, an, unter, leid*, lit*, gelitten,
        operiert*, operation*, behandel*, diagnos*, festgestellt, verdacht*, erkrank*, krank*, klinik*, krankenhaus*,
        kur, reha, therapie*, tablett*, medikament*, spritz*, attest*, gebrochen, gestorben, verstorben, starb,
        kampf*, uberstanden, geheilt, bin, ist, war, allergisch*, arzt*, arztin
        """,
    ),
    (
        """
        je, j'ai, j', mon, ma, mes, il, elle, son, sa, notre, nous, moi, lui, m., mme, monsieur, madame, pere, mere,
        frere, soeur, fils, fille, mari, femme, papa, maman, grand-pere, grand-mere, oncle, tante, ami, amie,
        collegue*, voisin*, patron*, patient*, cousin*, neveu, niece, enfant, conjoint*, compagn*
        """,
        """
        ai, a, as, avait, eu, fait, souff*, atteint*, diagnosti*, suis, est, suivi*, trait*, soign*, oper*,
        hospitalis*, arret*, depuis, a cause, en raison, suite a, pour, decouv*, detect*, trouve*, decel*, confirm*,
        mort*, deced*, guer*, remission*, rechut*, medicament*, allergique*, malade*, cancer, enceinte,
        sous traitement, medecin*, docteur
        """,
    ),
    (
        """
        yo, me, mi, mis, ella, su, sus, nuestro, nuestra, le, nos, don, dona, sr, sra, senor, senora, padre,
        madre, hermano, hermana, hijo, hija, marido, mujer, esposo, esposa, abuelo, abuela, tio, tia, primo, prima,
        amigo, amiga, companer*, jefe, jefa, vecin*, paciente*, sobrin*, novio, novia, pareja, papa, mama, suegr*,
        cunad*, nino, nina, bebe
        """,
        """
        tengo, tiene, tenia, tuvo, tuve, ha tenido, he tenido, padec*, sufr*, diagnos*, detect*, encontr*, oper*,
        ingres*, hospital*, baja, por, desde, tras, trat*, medic*, toma, tomo, tomando, muri*, fallec*, cur*, super*,
        recay*, enferm*, soy, es, esta, estoy, alergic*, nacio, presenta, quimio*, vive con, vivo con, contagi*, con
        """,
    ),
    (
        """
        io, mi, mio, mia, miei, mie, lui, lei, suo, sua, gli, le, nostro, nostra, signor*, sig, padre, madre,
        fratello, sorella, figlio, figlia, marito, moglie, nonno, nonna, zio, zia, cugin*, amic*, collega, capo,
        vicin*, paziente*, nipote, fidanzat*, compagn*, papa, mamma, babbo, suocer*, cognat*, bambin*, dottor*
        """,
        """
        ho, ha, hanno, avuto, avuta, aveva, avevo, soffr*, diagnos*, trovat*, scopert*, operat*, ricoverat*, malattia,
        per, da, con, cura, curat*, terapia, farmac*, prend*, mort*, mancat*, guarit*, ricadut*, malat*, affett*,
        sono, e, era, allergic*, nato, nata, colpit*, presenta, chemio*, convive, convivo, infetta*, positiv*
        """,
    ),
    (
        """
        eu, me, meu, minha, meus, minhas, ele, ela, dele, dela, seu, sua, nosso, nossa, lhe, a gente, sr, sra,
        senhor*, dona, pai, mae, irmao, irma, filho, filha, marido, mulher, esposo, esposa, avo, avó, avô, vo, tio,
        tia, primo, prima, amigo, amiga, colega, chefe, vizinh*, paciente*, sobrinh*, namorad*, companheir*, papai,
        mamae, sogr*, cunhad*, menino, menina, bebe, doente, utente, crianca, o joao, a maria
        """,
        """
        tenho, tem, tinha, teve, tive, ter, temos, sofr*, diagnos*, descobr*, detect*, encontr*, operad*, operei,
        operou, internad*, internou, hospital*, afastad*, licenca, baixa, atestado, por, desde, apos, com, de, trat*,
        remedio*, medic*, toma, tomo, tomando, morr*, falec*, cur*, super*, venc*, reca*, doente, sou, e, era, esta,
        estou, estava, alergic*, nasceu, apresent*, quimio*, vive com, convive*, convivo, contra*, peg*, suspeit*,
        fez, fiz, faz, faco, portador*, gravida, positiv*, quadro, historico
        """,
    ),
    (
        """
        ik, mij, me, mijn, m'n, hij, zij, ze, zijn, haar, hem, ons, onze, wij, we, meneer, dhr, mevrouw, mevr, mw,
        vader, moeder, pa, ma, broer, zus, zoon, dochter, man, vrouw, opa, oma, oom, tante, neef, nicht, vriend*,
        collega*, baas, buur*, patient*, partner, kind, baby, schoon*, client*, papa, mama, kleinz*, kleind*
        """,
        """
        heb, heeft, had, hadden, gehad, gekregen, kreeg, krijg*, lijd*, leed, geled*, ben, is, was, ligt, lag, zit,
        bekend met, met, aan, voor, wegens, door, vanwege, na, sinds, last van, diagnos*, gediagnos*, vastgesteld,
        geconstateerd, gevonden, ontdekt, geoper*, operat*, opgenomen, behandel*, slik*, medic*, ziek*, overle*,
        gestorven, genez*, hersteld, herstel*, allergisch, gebroken, brak, dokter*, huisarts*, arts, specialist*,
        ziekenhuis*, chemo*, bestral*, drager, besmet, positief, zwanger, revalid*
        """,
    ),
    (
        """
        ja, mam, mnie, mi, moj, moja, moje, mojej, mojego, mojemu, moim, moi, on, ona, jego, jej, mu, jemu, nasz*,
        pan, pana, panu, pani, pania, ojciec, ojca, ojcu, tata, tacie, tate, matka, matki, matce, mama, mamie, brat*,
        siostr*, syn*, cork*, córk*, maz, mąż, meza, męża, mezowi, mężowi, zon*, żon*, babci*, babcia, dziad*, wuj*,
        cioci*, ciotk*, kuzyn*, koleg*, kolez*, koleż*, szef*, sasiad*, sąsiad*, pacjent*, przyjac*, dzieck*, tesc*,
        teść*, narzecz*, u mnie
        """,
        """
        z, ze, opiek*, mam, ma, mial*, miał*, miec, chor*, cierp*, zdiagn*, diagn*, wykry*, stwierdz*, rozpoz*, lecz*,
        operowan*, operacj*, szpital*, zwolnien*, l4, z powodu, przez, po, na, od, biore, bierze, bierze leki, leki,
        tabletk*, zmar*, umar*, wylecz*, pokona*, nawrot*, jest, jestem, byl*, był*, uczulon*, zlamal*, złamał*,
        nabaw*, przeszed*, przesz*, dosta*, zmaga*, walcz*, podejrz*, lekarz*, w ciazy, w ciąży, zakazi*, zarazi*,
        chemi*
        """,
    ),
    (
        """
        jag, mig, min, mitt, mina, han, hon, hans, hennes, honom, henne, vi, var, vart, oss, herr, fru, pappa, mamma,
        far, mor, bror, brorsa, syster, syrra, son, sonen, dotter, dottern, man, mannen, frun, make, maka, sambo*,
        mormor, morfar, farmor, farfar, moster, faster, morbror, farbror, kusin*, van, vän, vaninna, kollega*, chef*,
        granne*, patient*, barn*, bebis*, svarmor*, svarfar*, klient*, pojkvan*, flickvan*, systerson*, brorson*,
        elev*
        """,
        """
        har, hade, haft, ha, fick, far, fatt, lid*, led, lider, ar, blev, blivit, diagnos*, konstater*, hitta*,
        upptack*, operer*, inlagd*, inlagt*, sjukskriv*, sjuk*, for, av, i, med, efter, sedan, pa grund av, pga,
        behandl*, medicin*, tabletter, ater, dog, avled, gick bort, botad, frisk*, tillfrisk*, aterfall*, allergisk,
        bruten, brutit, brot, drabba*, insjukn*, smitta*, vard*, lakare*, läkare*, sjukhus*, cellgift*, stralbehand*,
        misstank*, besvar*, utred*, gravid, lever
        """,
    ),
    (
        """
        ben, bana, bende, benim, biz*, annem*, babam*, kardesim*, ablam*, abim*, agabeyim*, oglum*, kızım*, esim*,
        esimde, kocam*, karım*, dedem*, ninem*, anneannem*, babaannem*, teyzem*, halam*, amcam*, dayım*, kuzenim*,
        arkadasım*, komsum*, patronum*, mudurum*, hasta*, bey*, hanım*, nisanlım*, sevgilim*, kayınv*, yegenim*,
        torunum*, cocugum*, bebegim*, o
        """,
        """
        var, vardı, varmıs, hasta*, tesh*, tanı*, tedavi*, gecir*, cekiyor*, cek*, muzdarip*, kullan*, ilac*,
        ameliyat*, yatıyor*, yattı*, rapor*, nedeniyle, yuzunden, sebebiyle, oldu*, olmus*, cıktı*, yakalan*, atlat*,
        yendi*, vefat*, kaybet*, kondu*, konuldu*, konul*, ogren*, pozitif*, yası*, hamile*, takip*, dogdu*, alerj*,
        lı
        """,
    ),
)

# Sentences without a verb of having or with one that stands elsewhere, in scripts without spaces between words.
SICK_SIGNS = (
    (
        """
        私, 僕, 俺, わたし, 母, 父, 妻, 夫, 息子, 娘, 兄, 姉, 弟, 妹, 祖母, 祖父, おばあちゃん, おじいちゃん, 彼,
        彼女, 友人, 友達, 同僚, 上司, 患者, さん, 様, うち, 主人, 家内, 旦那, 嫁, 子ども, 子供, 先生, 部下, 義母,
        義父, 叔父, 叔母, 自分
        """,
        """
        です, でした, だ, だっ, なんです, と言われ, と診断, になり, になっ, で倒れ, で亡く, を持っ, 持ち, にかか,
        かかり, 患, 通院, 入院, 休職, 休ん, 手術, 治療, 薬, 服用, 再発, 見つか, 疑い, があ, が悪化, がひど, 闘病,
        克服, 完治, 既往, 検査, 告知, 発覚, 判明, 抱え, 苦し, 悩
        """,
        """
        と診断, で倒れ, で休職, で入院, で通院, で手術, の手術, の薬, を発症, が再発, と告げられ, と言われ,
        にかかっ, が見つか, の疑い, を患, で亡くな, で闘病, 持ちです, なんです, の治療
        """,
    ),
    (
        """
        我, 他, 她, 妈, 爸, 母亲, 父亲, 儿子, 女儿, 老公, 老婆, 妻子, 丈夫, 哥, 姐, 弟, 妹, 奶奶, 爷爷, 外婆, 外公,
        姥, 先生, 女士, 小姐, 同事, 朋友, 患者, 病人, 本人, 叔, 阿姨, 舅, 孩子, 宝宝, 老板, 邻居, 岳母, 岳父, 婆婆,
        公公, 老师, 家人
        """,
        """
        有, 是, 得, 患, 查出, 确诊, 诊断, 检查, 检出, 发现, 因, 因为, 治疗, 住院, 手术, 吃药, 的药, 服用, 请假,
        去世, 复发, 病史, 疑似, 感染, 携带, 阳性, 化疗, 痊愈, 犯了, 发作, 做了, 了
        """,
        """
        确诊, 查出, 患有, 患上, 得了, 得过, 诊断为, 诊断出, 的药, 病史, 因患, 疑似, 携带者, 住院, 请病假, 请假,
        化疗, 复发
        """,
    ),
    (
        """
        저, 제, 나, 내, 우리, 어머니, 아버지, 엄마, 아빠, 아들, 딸, 남편, 아내, 와이프, 형, 누나, 언니, 오빠, 동생,
        할머니, 할아버지, 환자, 친구, 동료, 씨, 님, 이모, 삼촌, 고모, 장모, 장인, 시어머니, 시아버지, 부모님, 본인,
        조카, 사촌, 상사, 부장, 아이, 아기, 선생님
        """,
        """
        진단, 걸리, 걸렸, 걸려, 앓, 있, 입니다, 이에요, 예요, 이야, 받, 투병, 치료, 수술, 입원, 재발, 판정, 병력,
        고생, 휴직, 병가, 완치, 때문, 시달, 심해, 심하, 약, 복용, 먹고, 다니, 내원, 의심, 확진, 돌아가, 했어, 생겼,
        겪
        """,
        """
        진단, 수술을 했, 수술했, 수술을 받, 확진, 앓, 판정, 투병, 병가, 휴직, 치료 중, 치료를, 약 먹, 약을, 이 심해,
        가 심해, 때문에 병, 에 걸, 내원
        """,
    ),
    (
        """
        मैं, मुझे, मुझको, मेरे, मेरी, मेरा, हमारे, हमारी, हमें, मां, माँ, मम्मी, माता, पिता, पापा, उन्हें, उनको,
        उनके, उनकी, उसे, उसको, उसके, वह, वो, बेटे, बेटी, पत्नी, पति, भाई, बहन, मरीज, रोगी, दादी, दादा, नानी, नाना,
        चाचा, चाची, मामा, मामी, मौसी, बुआ, ताऊ, दोस्त, श्री, श्रीमती, जी, ससुर, सास, बच्चे, बच्ची, साहब, बॉस,
        सहकर्मी, पड़ोसी, इनको, इन्हें, डॉक्टर, को
        """,
        """
        है, हैं, हूं, हूँ, हुआ, हुई, हो, था, थी, थे, पीड़ित, बीमारी, निदान, इलाज, दवा, दवाई, ऑपरेशन, सर्जरी,
        पता चला, ग्रस्त, चल रहा, चल रही, मृत्यु, निधन, निकला, निकली, निकली, जूझ, रहा, रही, गया, गई, लेता, लेती,
        बताया, बताई, शिकायत, समस्या, भर्ती, पड़ा, आते, आता, रहता, रहती, मार, मरीज, कीमो, डायलिसिस
        """,
        """
        से पीड़ित, का निदान, का इलाज, से ग्रस्त, की बीमारी, की दवा, का मरीज, की मरीज, के मरीज, हो गया, हो गई,
        होने का पता, से जूझ, का ऑपरेशन, की शिकायत, की समस्या, बताया है, बताया गया, का दौरा पड़, मार गया, का पता चला,
        निकला है, से मृत्यु, से निधन
        """,
    ),
)

# Words of tests, doctors and notes: a known condition in such a sentence is somebody's, though nobody is named.
CLINIC = (
    r"\b[0-9]{1,3}(?:[\s\-]?(?:years?[\s\-]old|yo|y/o|jahre|jahrig\w*|ans|anos|anni|jaar|lat|ar|yas\w*)\b|"
    r"\s?(?:वर्ष|साल|歳|岁|세))|"
    r"\b(?:to com|estou com|esta com|ta com|estava com|em uso de|usa insulina|tomo \w+|toma \w+|pericia|"
    r"incapacidade|incapacita\w*|certificado|gebruikt|slikt|slik|opgenomen|ivm|i\.v\.m|arbeidsongeschikt|"
    r"onderzoek bleek|bleek het|"
    r"utredning\w*|har haft|har fatt|ater \w+|heb al|heb sinds|heb last|tratamiento por|le han encontrado|"
    r"le encontraron|me encontraron|anticoagula\w+|insulin\w*|metformin\w*|rontgen\w*|mri|ct-scan|"
    r"test(?:ed|ei|e|ou|ade|ats|t)? positi\w+|positi\w+ (?:for|para|en|no|al|a|au|op|na|for|pa)|came back positive|"
    r"biops\w+|resultado\w*|exame\w* (?:confirm|deu|mostr)\w*|laudo|"
    r"analis[ei]\w*|uitslag|wynik\w*|biopsj\w+|provsvar\w*|befund\w*|resultat\w* (?:est|ar|is)|esito|referto|"
    r"my doctor (?:said|says|thinks)|doctor says|(?:o|meu) medico (?:disse|falou|acha)|"
    r"el medico (?:dice|dijo)|il medico (?:dice|ha detto)|le medecin (?:dit|a dit)|de (?:dokter|arts|huisarts) zegt|"
    r"lakaren sager|lekarz (?:mowi|powiedzial|stwierdzil)|der arzt (?:sagt|meint)|doktor (?:soyledi|dedi)|"
    r"sofri|testei|peguei|contrai|sufri|contraje|me rompi|se rompio|lo operaron|la operaron|le operaron|me operaron|"
    r"mi sono rott\w|ho preso|sono risultat\w|ik ben getest|l4|zwolnieni\w+|sjukskriv\w+|ziekgemeld\w*|"
    r"krankgeschrieben|krankmeldung|arret de travail|arret maladie|baja (?:medica|laboral)|on (?:sick|"
    r"medical) leave|sick note|atestado|faz (?:dialise|hemodialise|quimioterapia|tratamento)|"
    r"hemodialis\w*|dialysis|dialyse|paciente|patient|pt|pracownik\w*|anstalld\w*|werknemer|trabajador\w*|"
    r"funcionari\w+|mitarbeiter\w*|employee|calisan\w*|testim|sonucum|raporum|tahlil\w*)\b"
    r"|検査|医者|先生に|病院で|告知|診断|体检|检查|检测|医生说|大夫说|化验|晚期|请病假|검사|병원에서|의사가|"
    r"선생님이|진료|라고 하|쓰러|이래|라던데|보균자|感染し|在宅|闘病|इंसुलिन|टेस्ट|रिपोर्ट|जाँच|जांच|डॉक्टर|छुट्टी|"
    r"अस्पताल|मौत"
)
# As on a form: what stands after one of these and a colon is a condition.
LABELS = phrases(
    """
    diagnosis, diagnoses, known conditions, pre-existing*, preexisting*, medical conditions, health problems,
    chief complaint*, presenting complaint*, reason for visit*, reason for admission*, reason for absence*,
    comorbidities, past medical history, pmh, pmhx, hx, allergies, disability, working diagnosis, vorerkrankung*,
    hauptdiagnose*, nebendiagnose*, verdachtsdiagnose*, diagnose*, befund*, aufnahmegrund*, einweisungsdiagnose*,
    grund der krankschreibung, allergien, behinderung, anamnese*, diagnostic, diagnostics, antecedents*,
    antecedents medicaux, motif de consultation*, motif d'hospitalisation*, motif d'arret, motif, pathologie*,
    allergies connues, handicap, diagnostico*, diagnosticos, antecedentes*, antecedentes personales*,
    motivo de consulta*, motivo de ingreso*, motivo de baja, motivo de la baja, enfermedades*, patologias*, alergias*,
    discapacidad*, impresion diagnostica*, diagnosi, anamnesi*, patologie*, motivo del ricovero, motivo della visita,
    allergie*, invalidita*, comorbilidades, comorbidita*, hipotese diagnostica*, hd, doencas*,
    doencas pre-existentes*, comorbidades*, historico medico*, historico de doencas, queixa principal*,
    motivo da consulta*, motivo do afastamento*, motivo do internamento*, motivo da internacao*, deficiencia*, cid,
    alergia*, voorgeschiedenis*, reden van opname*, reden van verwijzing*, reden verzuim*, aandoening*, aandoeningen,
    ziekten*, allergieen*, beperking*, rozpoznanie*, choroby przewlekłe*, choroby wspołistniejące*,
    choroby wspolistniejace*, wywiad*, powod wizyty*, powod zwolnienia*, przyczyna*, alergie*, uczulenia*,
    niepełnosprawnosc*, diagnos*, bedomning*, tidigare sjukdomar*, sjukdomar*, sokorsak*, kontaktorsak*,
    orsak till sjukskrivning*, anamnes*, overkanslighet*, allergier*, funktionsnedsattning*, teshis*, tanı*, tanısı,
    on tanı*, rahatsızlık*, rahatsızlıgı*, hastalıklar*, kronik hastalık*, sikayet*, sikayeti*, rapor nedeni*,
    rapor gerekcesi*, yatıs nedeni*, alerjiler*, engel durumu*, 診断*, 診断名*, 病名*, 傷病名*, 既往歴*, 既往症*,
    持病*, 主訴*, 現病歴*, アレルギー*, 休職理由*, 欠勤理由*, 障害名*, 诊断*, 初步诊断*, 入院诊断*, 出院诊断*,
    既往史*, 既往病史*, 主诉*, 病史*, 过敏史*, 病因*, 请假原因*, 病假原因*, 慢性病*, 진단명*, 진단*, 병명*, 상병명*,
    과거력*, 병력*, 기저질환*, 주호소*, 지병*, 알레르기*, 병가 사유*, 휴직 사유*, निदान*, बीमारी*, रोग*, शिकायत*,
    मुख्य शिकायत*, पुरानी बीमारी*, चिकित्सा इतिहास*, एलर्जी*, छुट्टी का कारण*, भर्ती का कारण*, диагноз*, жалобы*,
    анамнез*
    """
)
# Ends of compounds that name a condition.
ENDINGS = tuple(
    words(
        """
        infektion infektionen infectie fobie syndroom inflammation svikt smarta breuk klachten tumoren krebs
        kanker cancer cancern sjukdom sjukdomen erkrankung krankheit beschwerden verletzung schmerzen
        entzundung ontsteking aandoening storung stoornis stoornissen lahmung verslaving missbruk beroende
        insufficientie insuffizienz
        """
    )
)

# Right before a condition: whose it is, in questions too.
_OWNER = (
    r"my|his|her|our|your|mein\w{0,2}|sein\w{0,2}|ihre\w?|unser\w{0,2}|mon|ma|mes|notre|mi|mis|nuestr[oa]|mio|mia|"
    r"miei|mie|suo|sua|nostr[oa]|meu|minha|meus|minhas|noss[oa]|mijn|m'n|onze|ons|moj\w{0,4}|swoj\w{0,4}|"
    r"jego|jej|nasz\w{0,3}|mitt|min|mina|hans|hennes|var|vart|benim"
)
_HAVE = (
    r"i(?:'ve)?(?: (?:also|still|just|now|only|already))? (?:have|had|got|have got|have had|suffer from|live with|"
    r"am recovering from)|i've(?: got| had)?|he has|she has|he had|she had|ich (?:habe|hab|hatte|leide (?:an|"
    r"unter))|"
    r"er hat|sie hat|j'ai(?: eu)?|je (?:souffre d[eu]|fais)|il a|elle a|tengo|tuve|tiene|tenia|padezco(?: de)?|"
    r"sufro(?: de)?|ho(?: avuto)?|soffro di|lui ha|lei ha|tenho|tive|tinha|tendo|sofro de|sofri|fiz|"
    r"ik (?:heb|had|lijd aan|kamp met)|hij heeft|zij heeft|ze heeft|mam|miałem|miałam|mialem|mialam|cierpie na|"
    r"choruje na|jag (?:har|hade|lider av|fick|kampar med)|han har|hon har|arrastrando|with my|con mi|met mijn|"
    r"med min|z moj\w+"
)
_KIN = (
    r"(?:mum|mom|mother|dad|father|brother|sister|son|daughter|wife|husband|partner|friend|boss|colleague|uncle|"
    r"aunt|cousin|grand\w+|kid|child|baby|mutter|vater|bruder|schwester|sohn|tochter|mann|frau|kind|oma|opa|chef\w*|"
    r"kolleg\w+|"
    r"mere|pere|frere|soeur|fils|fille|mari|femme|grand-\w+|madre|padre|herman[oa]|hij[oa]|espos[oa]|marido|mujer|"
    r"abuel[oa]|ti[oa]|jef[ea]|prim[oa]|amig[oa]|fratello|sorella|figli[oa]|moglie|marito|nonn[oa]|zi[oa]|mae|pai|"
    r"irma|irmao|"
    r"filh[oa]|mulher|avo|chefe|vader|moeder|broer\w*|zus\w*|zoon|dochter|vrouw|man|vriend\w*|baas|mam[aey]|mamie|"
    r"tat[aey]|tacie|brat\w*|siostr\w+|syn\w*|cork\w+|zon\w+|maz|meza|babci\w+|dziad\w+|mamma|pappa|bror|syster|"
    r"dotter|sambo|"
    r"mormor|morfar|farmor|farfar)"
)
OWNED_BEFORE = (
    rf"\b(?:(?:{_OWNER})(?:\s[^\W\d_]{{2,14}}){{0,2}}|(?:{_HAVE})(?:\s(?:an?|the|some|un|una|une|uno|um|uma|la|le|"
    rf"el|il|lo|os|as|o|a|een|de|het|ein\w{{0,2}}|en|ett|severe|bad|mild|chronic|terrible|schwere\w?|leichte\w?|"
    rf"chronische\w?|fort|forte|grave|severa?|cronic[oa]|leve|lichte|zware|erge|silna|ciezka|svar|kraftig|hoge|"
    rf"hohen|hoga)){{0,2}}|(?:{_OWNER})\s{_KIN}\s(?:has|had|suffers from|hat|hatte|leidet an|a|souffre de|tiene|"
    rf"tenia|"
    rf"padece|ha|soffre di|tem|teve|tinha|sofre de|heeft|had|lijdt aan|kreeg|ma|cierpi na|choruje na|har|hade|fick|"
    rf"with|mit|avec|con|com|met|med|z|ze)(?:\s(?:an?|un|una|une|um|uma|la|le|el|il|lo|o|a|een|ein\w{{0,2}}|en|"
    rf"ett)){{0,1}})"
    r"\s\Z|(?:मुझे|मुझको|मेर[ीेा]|अपन[ीेा]|उन्हें|उनको|उसे|उसको|हमें)\s(?:[^\s।]{2,12}\s){0,3}\Z|(?:माँ|मां|मम्मी|"
    r"पापा|पिताजी|पिता|बेटे|बेटी|पत्नी|पति|भाई|बहन|दादी|दादा|नानी|नाना|सास|ससुर|जी)\sको\s(?:[^\s।]{2,12}\s){0,2}\Z"
    r"|(?:我有|我的|我得|我得了|我妈有|我爸有|我患|刚做完|做完|我对|我因|我因为|因为)\Z|(?:私の|僕の|母の|父の|妻の|"
    r"夫の|私は|僕は)\Z|(?:제|저|내|저는|제가|나는|내가)\s\Z"
)
OWNED_AFTER = (
    r"(?:なんです(?!か)|がひど|がつら|が悪化|のため|のせいで|の(?:母|父|妻|夫|息子|娘|祖母|祖父|兄|姉|弟|妹)|"
    r"で(?:会社|仕事|学校|通院|入院|休|辞|倒れ|苦し|悩)|の薬を|持ち|と診断|になりまし|を患|があります|があって|"
    r"があり、|のことは"
    r"|让我|又犯|犯了|手术|发作|住院|晚期|的(?:父亲|母亲|爸|妈|儿子|女儿|爷爷|奶奶|老公|老婆|妻子|丈夫)"
    r"|\s?(?:이|가)?\s?(?:있어서|있는데|있어요|있습니다|있다고|심해|심하|심합|도졌|재발|와서|왔어|생겼|생겨)|"
    r"\s?때문에|\s?약[을 ]|\s?수술|\s?진단|\s?판정|(?:이|)라고\s(?:하|진단|들)|(?:으)?로\s(?:입원|휴직|고생|치료|"
    r"병원|돌아가)"
    r"|\s(?:है|हैं|था|थी|थे)(?![^\s।,])|\s(?:की वजह से|के कारण|में मैं|का मरीज|की मरीज|के मरीज|की दवा|हो ग|से लड़|"
    r"से जूझ|आया|रहता|रहती|निकला|बताया|की शिकायत|की समस्या))"
)
# A cause that somebody gives: enough where no people in general are spoken of.
CAUSE_BEFORE = (
    r"\b(?:because of|due to|owing to|wegen|aufgrund|a cause d[eu']|en raison d[eu']|por causa d[aeo]s?|"
    r"por culpa d[ae]|devido a|debido a|a causa d[ie]l?|per colpa d\w+|vanwege|wegens|door|przez|z powodu|pga|"
    r"pa grund av|till foljd av|"
    r"recovering from|recuperar de|recuperando de|recuperandome de|herstellende van|herstel van|aterhamtning efter|"
    r"dochodze do siebie po|in ripresa da|erhole mich von)\s(?:(?:an?|the|my|un|una|une|um|uma|la|le|el|il|lo|o|a|"
    r"een|eine?[rmn]?|"
    r"meine?[rmn]?|mon|ma|mi|mio|mia|meu|minha|mijn|moj\w+|min|mitt|en|ett)\s)?\Z"
)
# In scripts without spaces the last sign of a name tells a condition.
EAST = (
    r"[\u4e00-\u9fff\u30a1-\u30ff]{1,7}?(?:症(?!状)|炎(?!热|症|上)|癌(?!症)|がん(?!ば|じ|と)|瘤|梗塞|梗死|结核|結核|"
    r"不全|衰竭|溃疡|潰瘍|麻痺|骨折|硬化|综合征|综合症|症候群|障碍|失禁|病变|过敏(?!原|反)|疱疹|アレルギー|恐惧症|"
    r"成瘾|障害(?!物|者)|腫(?!瘍)|肥大)|"
    r"[가-힣]{1,6}(?:증후군|질환|장애|[가-힣](?<!검|인|보|수|분|격|허|록|금|생|확|물|입|논|반|갈|쟁)증|"
    r"[가-힣](?<!전|오|화|소|폭)염|[가-힣](?<!명)암)(?=이|을|를|으로|로|에|은|는|과|와|의|,|\s|\.|\Z|라)"
)

# Qualities that belong to a name: after it in Romance languages, before it in the others.
QUALITY_AFTER = (
    r"(?:\s(?!(?:passad|pasad|scors|cuand|quand|aind|agor|semana|quant|tant|todo|toda|nada|cada|vida|ainda|desde|"
    r"porque|pero|mas|para|sigo|estoy|estou|sono|fico|tomo|puedo|posso|quiero|quero|anos|ahora|igual|actual|atual|"
    r"total|normal|"
    r"local|social media|medicament|hospital|por|com|con|sem|sin|senza|que|che|y|e|ed|et|ou|o|ni|nem)\w*\b)"
    r"(?:[^\W\d_]{2,}(?:ic[oa]s?|ic[ih]e?|iqu?es?|ais|ales?|al|ar(?:es)?|iv[oaie]s?|os[oaie]s?|antes?|entes?|"
    r"ari[oaie]s?|oide?s?|oid[oae]s?|ili?|ile|ale|iale|iali|are|ea|eo|an[oae]s?|in[oae]s?|aire|elle|euse|eale?|"
    r"gast\w+|ulcer\w+)|mayor|maior|maggiore|grave|severe?|"
    r"severa?|agud[oa]|leve|lieve|longa|largo|media|senil|precoz|precoce|maligno|maligna|benigno|benigna|profunda|"
    r"cronic[oa]|aigue?|pos-?parto|posparto|post[\s\-]?partum|postnatale?|tipo\s[12i]+|mieloide|linfoide|"
    r"obsessivo-compulsiv[oa]|"
    r"obsesivo[\s\-]compulsivo|ossessivo[\s\-]compulsivo|de\sansiedade|de\spanico|iatale|inguinal|discal|lombar|"
    r"cervical)(?![^\W\d_])){1,3}"
)
QUALITY_BEFORE = (
    r"(?<![^\W_])(?:(?:[^\W\d_]{2,}(?:ische[rnms]?|isches|ieve|ale[rnms]?|alen|aire[rnms]?|oneel|onele|iele|atieve|"
    r"ierte[rnms]?|iskt?|iska|ivt?|alt|ilt?|iserat|iserad|owane|owy|owa|owe|owego|owej|czne|czna|czny|cznego|cznej|"
    r"istic|atic|otic|ular|itary|"
    r"ised|ized|genital|oid|ative|itive|ious|erosive)|ernstige|zware|lichte|acute|milde|erge|morbide|genitale|"
    r"sociale|posttraumatische|constitutioneel|chronische|svar|svart|kraftig|sjuklig|genital|atopiskt|multipelt|"
    r"social|socialt|przewlekł\w+|ostr\w+|"
    r"ciezk\w+|wrzodziejac\w+|atopowe|schwere[rnms]?|leichte[rnms]?|akute[rnms]?|chronic|acute|severe|genital|"
    r"postnatal|postpartum|gestational|seasonal|kronik|akut|sosyal|genital|romatoid|ankilozan|multipl|dogum sonrası|"
    r"travma sonrası|orak hucreli|tip 2|tip 1|"
    r"प्रसवोत्तर|गर्भकालीन|लॉन्ग|क्रोनिक|गंभीर|टाइप\s[12]|फंगल|घुटनों\sका|पित्त\sकी|[bc]형|제?[12]형|다발성|만성|"
    r"급성|무릎|도박|외상\s후)\s){1,2}\Z"
)
