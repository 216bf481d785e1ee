"""Words of illness in the larger languages, of having one, and of the people who do. Tables and nothing else.

Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on. `CONDITION_ENDINGS` find the
compounds of languages that write them as one word (`Brustkrebs`, `borstkanker`).
"""

from mace.governance.detectors.findings import phrases, words

CONDITIONS = phrases(
    """
    pressao alta, presion alta, pressione alta, lombalg*, lumbalg*, hexenschuss, esclerose lateral*, sindrome de*,
    polycystic ovary, formaksflimmer*, utmattningsdepression*, bipolar sjukdom, hoog bloeddruk, colesterol alto,
    aborto espontaneo, nervous breakdown, ovarian cyst*, kidney transplant*, hjartfel, hartafwijking, diabete*,
    cardiopatia*, scompenso cardiaco, ictus*, fibrillazione*, broncopneumopatia*, polmonit*, tubercolosi, demenza*,
    cefale*, schizofrenia*, disturbo*, attacchi di panico, deficit di attenzione, dipendenz*, alcolism*, artrite*,
    artrosi, gotta, fibromialgia, dermatit*, eczema*, celiachia, morbo di crohn, colite ulcerosa, colon irritabile,
    intestino irritabile, reflusso*, calcoli*, ipotiroidismo, ipertiroidismo, tiroidite*, anemia*, talassem*,
    emofilia*, drepanocit*, endometriosi, ovaio policistic*, infertilit*, ernia*, sciatica, scoliosi, cataratta*,
    sordit*, ipoacusia*, acufeni, vertigini, apnee notturne, insonnia, fuoco di sant'antonio, herpes zoster,
    sifilide, clamidia, malattia di lyme, sepsi, trombosi*, embolia*, fibrosi cistica, paralisi cerebrale,
    sclerosi*, corea di huntington, leucemia*, melanoma*, carcinoma*, mieloma*, anoressia*, bulimia*, obesit*,
    psoriasi, vitiligine, osteoporosi, distrofia*, miastenia*, neuropatia*, retinopatia*, nefropatia*,
    hipertensao*, insuficiencia cardiaca, infarto*, derrame*, avc*, arritmia*, fibrilacao*, dpoc, tuberculose,
    demencia*, esquizofrenia*, transtorno*, sindrome do panico, dependencia quimica, alcoolism*, artrose*, gota,
    lupus*, psoriase, eczema, doenca celiaca, doenca de crohn, doenca de parkinson, mal de parkinson,
    mal de alzheimer, doenca de alzheimer, retocolite*, colite*, intestino irritavel, gastrite*, ulcera*, refluxo*,
    cirrose*, insuficiencia renal, pedra nos rins, calculo renal, pedra na vesicula, hipotireoidismo,
    hipertireoidismo, tireoidite*, anemia falciforme, hemofilia*, endometriose, ovario policistic*,
    ovarios policisticos, infertilidade, aborto*, hernia de disco, hernia*, ciatica, escoliose, catarata*, surdez,
    zumbido, labirintite, apneia*, insonia, herpes*, sifilis, doenca de lyme, dengue, zika, chikungunya, sepse,
    trombose*, fibrose cistica, paralisia cerebral, esclerose*, linfoma*, cancer*, cancro*, tumor*, anorexia*,
    obesidade, autism*, depressao*, ansiedade*, hanseniase, doenca de chagas, chagas, enxaqueca*, epilepsia*,
    asma*, diabetes*, burnout, hipertension*, ictus, derrame cerebral, fibrilacion*, epoc, neumonia*, tuberculosis,
    migran*, jaqueca*, trastorno*, crisis de panico, ansiedad*, adiccion*, alcoholism*, artritis*, artrosis*,
    psoriasis, dermatitis*, celiaqu*, celiac*, enfermedad de crohn, enfermedad de parkinson, colon irritable,
    intestino irritable, gastritis, reflujo*, cirrosis, calculos renales, piedras en el rinon, hipotiroidismo,
    hipertiroidismo, endometriosis, ovario poliquistico, ovarios poliquisticos, infertilidad, escoliosis,
    cataratas, sordera, acufenos, vertigo*, apnea*, insomnio, culebrilla, sepsis, trombosis*, fibrosis quistica,
    paralisis cerebral, esclerosis*, obesidad, depresion*, hartfalen, hartaanval*, hartkwaal*, hartziekte*,
    herseninfarct*, boezemfibrilleren, longemfyseem, longembolie, dementie*, hoofdpijn*, schizofrenie,
    bipolaire stoornis, angststoornis*, paniekstoornis*, paniekaanval*, dwangstoornis*, verslaving*,
    alcoholverslav*, alcoholisme, gewrichtsontst*, artrose, jicht, botontkalking, fibromyalgie, eczeem, coeliakie,
    ziekte van crohn, ziekte van parkinson, ziekte van lyme, ziekte van alzheimer, ziekte van*, prikkelbare darm*,
    maagzweer*, reflux*, levercirrose, nierfalen, nierziekte*, galsteen*, schildklieraandoen*, bloedarmoede*,
    hemofilie, sikkelcel*, pcos, onvruchtbaar*, miskraam*, hernia, ischias, scoliose, staar, gehoorverlies,
    slechthorend*, duizelig*, slaapapneu*, slapeloos*, gordelroos, soa, taaislijmziekte, hersenverlamming,
    prostaatkanker*, eierstokkanker*, huidkanker*, maagkanker*, leukemie, lymfeklierkanker, hersentumor*, anorexia,
    boulimia, obesitas, autisme, adhd, add, niewydolnosc*, zawał*, udar*, migotanie*, arytmi*, pochp, zapaleni*,
    gruzlic*, otepieni*, demencj*, schizofreni*, chorob* dwubiegunow*, dwubiegunow*, nerwic*, zaburzen*, lekow*,
    atak* paniki, uzaleznieni*, alkoholizm*, reumatoidaln*, zwyrodnieni*, dna moczanowa, dny moczanowej,
    osteoporoz*, fibromialgi*, tocz*, toczen*, tocznia, łuszczyc*, egzem*, atopow*, celiaki*, lesniowskiego*,
    crohna, wrzod*, wrzodziej*, refluks*, marskosc*, kamic*, niedoczynnosc*, nadczynnosc*, hashimoto, anemi*,
    niedokrwist*, hemofili*, endometrioz*, policystyczn*, nieplodn*, poronieni*, przepuklin*, dyskopati*,
    rw* kulszow*, skolioz*, jaskr*, zacm*, niedosluch*, szum* uszn*, bezdech*, bezsennosc*, połpasc*, półpas*,
    opryszczk*, kił*, chlamydi*, boreliоz*, borelioz*, sepsa, seps*, zakrzepic*, zatorowosc*, mukowiscydoz*,
    porazeni*, stwardnieni*, pląsawic*, raka, rakiem, rakowi, nowotwor*, chłoniak*, białaczk*, czerniak*,
    szpiczak*, guz*, anoreksj*, bulimi*, otyłosc*, autyzm*, depresj*, padaczk*, astm*, cukrzyc*, nadcisnieni*,
    migren*, zołtaczk*, wirusowe zapalenie, wzw*, parkinsona, alzheimera, downa, hjartsvikt*, hjartinfarkt*,
    hjartflimmer*, kol, lunginflammation, tuberkulos*, demens*, huvudvark*, bipolar*, angest*, panikangest*,
    panikattack*, tvangssyndrom*, ocd, beroende*, alkoholism*, alkoholberoende*, reumatoid artrit, artros*, gikt,
    benskorhet*, fibromyalgi*, eksem*, glutenintol*, crohns*, ulceros kolit, ibs, magsar*, magkatarr*,
    skrumplever*, levercirros*, njursvikt*, njursten*, gallsten*, hypotyreos*, hypertyreos*, skoldkortel*,
    blodbrist, blodarsjuk*, sicklecell*, endometrios*, infertil*, missfall*, diskbrack*, ischias*, skolios*,
    gron starr, gra starr, horselnedsatt*, tinnitus, yrsel, somnapne*, somnloshet*, baltros*, syfilis*, klamydia*,
    borrelia*, blodforgift*, blodpropp*, cystisk fibros, cp-skada*, prostatacancer*, lungcancer*,
    tjocktarmscancer*, bukspottkortelcancer*, aggstockscancer*, leukemi*, lymfom*, hudcancer*, malignt melanom,
    hjarntumor*, anorexi*, atstorning*, fetma, depression*, epilepsi*, astma*, hogt blodtryck, hypertoni*,
    parkinsons*, alzheimers*, kalp yetmezligi*, kalp krizi*, inme*, felc*, ritim bozuklug*, atriyal fibrilasyon*,
    koah*, zaturre*, zatürre*, tuberkuloz*, verem*, demans*, bunama*, bas agrısı*, sizofreni*, anksiyete*,
    kaygı bozuklug*, panik bozuklug*, panik atak*, okb, obsesif*, takıntı*, travma sonrası*, dikkat eksiklig*,
    hiperaktivite*, bagımlılı*, alkolizm*, alkol bagıml*, romatoid*, romatizm*, artrit*, kireclenme*, gut hasta*,
    kemik erimesi*, fibromiyalji*, sedef*, egzama*, colyak*, crohn*, ulseratif*, kolit*, gastrit*, ulser*, reflu*,
    siroz*, bobrek yetmezlig*, bobrek tası*, safra kesesi*, safra tası*, hipotiroid*, hipertiroid*, hasimato*,
    guatr*, kansızlık*, talasemi*, akdeniz anemi*, endometriozis*, polikistik*, kısırlık*, dusuk*, fıtık*,
    bel fıtıgı*, boyun fıtıgı*, siyatik*, skolyoz*, glokom*, katarakt*, isitme kaybı*, cınlama*, uyku apnesi*,
    uykusuzluk*, zona hasta*, ucuk*, sifiliz*, frengi*, klamidya*, lyme*, sıtma*, sepsis*, tromboz*,
    pulmoner emboli*, kistik fibrozis*, serebral palsi*, multipl skleroz*, multipl*, parkinson*, alzheimer*,
    losemi*, kan kanseri*, lenfoma*, melanom*, akciger kanseri*, meme kanseri*, prostat kanseri*, mide kanseri*,
    rahim*, anoreksi*, obezite*, otizm*, depresyon*, astım*, diyabet*, seker hasta*, yuksek tansiyon*, tansiyon*,
    hipertansiyon*, hepatit*, sarılık*, down sendromu, sendromu*, 心不全, 心房細動, 脳出血, 慢性閉塞性肺疾患,
    肺気腫, 認知症, パーキンソン, 統合失調症, 双極性障害, 不安障害, パニック障害, 強迫性障害, 注意欠如,
    アルコール依存症, 薬物依存, 関節リウマチ, 変形性, 痛風, 骨粗しょう症, 線維筋痛症, ループス, 乾癬, 湿疹,
    アトピー性皮膚炎, セリアック病, 過敏性腸症候群, 胃炎, 肝硬変, 腎臓病, 腎臓結石, 胆石症, 甲状腺機能低下症,
    甲状腺機能亢進症, 貧血, 血友病, 多嚢胞性, 不妊, 坐骨神経痛, 側弯症, 難聴, 耳鳴り, めまい, 睡眠時無呼吸症候群,
    帯状疱疹, ヘルペス, 梅毒, クラミジア, ライム病, マラリア, コロナ, 敗血症, 血栓症, 塞栓症, 嚢胞性線維症,
    脳性麻痺, ダウン症, 筋萎縮性側索硬化症, リンパ腫, メラノーマ, 骨髄腫, 脳腫瘍, 肥満症, 自閉症, 発達障害,
    急性リンパ, 肝臓病, 網膜, 子宮体がん, 卵巣, 甲状腺がん, 皮膚がん, 咽頭がん, b型肝炎, c型肝炎, hiv感染,
    適応障害, 双極症, 躁うつ病, 心力衰竭, 心梗, 脑出血, 慢阻肺, 肺气肿, 痴呆症, 老年痴呆症, 精神分裂症,
    双相情感障碍, 焦虑障碍, 惊恐障碍, 创伤后应激, 注意缺陷, 酗酒, 酒精成瘾, 药物成瘾, 类风湿关节炎, 类风湿性关节炎,
    关节炎, 骨关节炎, 纤维肌痛, 狼疮, 乳糜泻, 克罗恩病, 溃疡性结肠炎, 结肠炎, 肠易激, 溃疡, 胃食管反流, 肾功能不全,
    肾病综合征, 甲状腺功能减退, 甲状腺功能亢进, 甲状腺结节, 桥本, 缺铁性贫血, 地中海贫血, 子宫内膜异位症, 多囊卵巢,
    不孕症, 不孕, 坐骨神经痛, 脊柱侧弯, 白内障, 听力损失, 耳聋, 耳鸣, 眩晕, 睡眠呼吸暂停, 失眠, 带状疱疹, 疱疹,
    衣原体, 莱姆病, 疟疾, 新冠, 败血症, 血栓, 肺栓塞, 囊性纤维化, 脑瘫, 唐氏, 渐冻症, 白血病, 黑色素瘤, 骨髓瘤,
    大肠癌, 结直肠癌, 直肠癌, 卵巢癌, 子宫癌, 食管癌, 鼻咽癌, 皮肤癌, 甲状腺, 神经性厌食, 暴食症, 肥胖症, 丙型肝炎,
    乙型肝炎, 肝病, 心脏搭桥, 帕金森综合, 精神障碍, 심장병, 뇌출혈, 만성폐쇄성, 폐기종, 파킨슨, 정신분열, 양극성,
    공황 장애, 불안 장애, 강박 장애, 외상후, 주의력 결핍, 과잉행동, 알코올 의존, 알코올중독, 약물 중독,
    류마티스 관절염, 퇴행성 관절염, 섬유근육통, 건선, 습진, 셀리악, 궤양성 대장염, 과민성 대장, 역류성, 간경변,
    신장결석, 담석증, 갑상선 기능, 갑상선기능, 하시모토, 혈우병, 자궁내막증, 다낭성, 난임, 불임, 디스크,
    좌골신경통, 척추측만증, 난청, 이명, 어지럼증, 수면무호흡, 대상포진, 헤르페스, 클라미디아, 라임병, 말라리아,
    코로나, 패혈증, 혈전증, 색전증, 낭포성 섬유증, 뇌성마비, 다운증후군, 루게릭, 악성 림프종, 흑색종, 골수종,
    뇌종양, 직장암, 난소암, 피부암, 식도암, 거식증, 폭식증, 비만, 자폐 스펙트럼 장애, 발달장애, b형 간염, c형 간염,
    b형간염, c형간염, hiv 감염, 심장질환, 부정맥, 우울장애, 적응장애, हृदयाघात, हार्ट अटैक, हार्ट फेल,
    दिल की धड़कन, सीओपीडी, ब्रोंकाइटिस, पार्किंसन रोग, अल्ज़ाइमर रोग, मनोभ्रंश, बाइपोलर डिसऑर्डर, पैनिक अटैक,
    पैनिक डिसऑर्डर, एडीएचडी, नशे की लत, शराब की लत, रूमेटाइड, जोड़ों का दर्द, गाउट, ऑस्टियोपोरोसिस, ल्यूपस, लुपस,
    एक्जिमा, सीलिएक, क्रोहन, कोलाइटिस, आईबीएस, गैस्ट्राइटिस, एसिडिटी, पथरी, गुर्दे की पथरी, किडनी की पथरी,
    हाइपोथायरायडिज्म, हाइपोथायरायडिज़्म, हाइपरथायरायडिज्म, हीमोफीलिया, सिकल सेल, एंडोमेट्रियोसिस, बांझपन,
    स्कोलियोसिस, बहरापन, टिनिटस, वर्टिगो, स्लीप एपनिया, अनिद्रा, दाद, हर्पीज, सिफलिस, चिकनगुनिया, कोविड, सेप्सिस,
    थ्रोम्बोसिस, सिस्टिक फाइब्रोसिस, सेरेब्रल पाल्सी, डाउन सिंड्रोम, लिम्फोमा, मेलानोमा, ब्रेन ट्यूमर, ट्यूमर,
    फेफड़ों का कैंसर, स्तन कैंसर, ब्लड कैंसर, मुंह का कैंसर, गर्भाशय, प्रोस्टेट, एनोरेक्सिया, मोटापा,
    हेपेटाइटिस सी, काला जार, टाइफाइड, कुष्ठ, फाइलेरिया, एंज़ाइटी, घबराहट, आत्मकेंद्रित, स्वलीनता, hypertensi*,
    hipertensao, hodgkin*, herniated disc*, bandscheibenvorf*, bandscheib*, schuppenflecht*, adiposit*, obes*,
    epiless*, depressione, tumore*, enxaquec*, emicran*, burn-out, coeliaki*, celiachi*, hersenbloed*,
    hersenschudd*, białaczc*, zaburzeni* lekow*, zaburzeni*, lunginflammation*, skleroz*, zaturre, zatürre,
    yetmezlig*, kanser*, seker hastası, seker hastalıgı, şeker hastası, inme, koah, bel fıtıg*, ülser,
    hipertansiyon, şizofren*, sizofren*, dehb, lenfom*, crohn, sedef hasta*, vitiligo, 腎不全, 慢性腎臓病, 硬化症,
    阑尾炎, 硬化, 肾衰, 肾结石, 胆结石, 胆囊炎, 腰椎间盘突出, 颈椎病, 脑溢血, 脑卒中, 强直性脊柱炎, 银屑病, 牛皮癣,
    白癜风, 系统性红斑狼疮, 甲状腺癌, 前列腺癌, 肝炎, 丙肝, hiv阳性, 尿毒, 帕金森病, 阿尔茨海默病, 孤独症,
    双相障碍, 精神分裂, 睡眠障碍, 失眠症, 焦虑, 冠状动脉, 心房颤动, 房颤, 심방세동, 만성신부전, 자폐 스펙트럼,
    허혈성, 역류성 식도염, 담석, 요로결석, 추간판 탈출, 에이즈, 공황, 불안, 조울, 주의력결핍, 전립선암, 방광암,
    신장암, 자궁근종, 脂質異常症, 胆石, 尿路結石, 椎間板ヘルニア, 自閉スペクトラム, 不眠症, 卵巣がん, 膀胱がん,
    腎臓がん, 前立腺がん, 肝がん, 大腸癌, 乳癌, 胃潰瘍, 逆流性食道炎, バセドウ病, 橋本病, メニエール, 睡眠時無呼吸,
    全身性エリテマトーデス, 潰瘍性, स्क्लेरोसिस, निमोनिया, उच्च रक्तचाप, हाई बीपी, बीपी, शुगर की बीमारी, किडनी रोग,
    किडनी फेल, दिल की बीमारी, कैंसर, ल्यूकेमिया, थैलेसीमिया, स्ट्रोक, पक्षाघात, सोरायसिस, पीसीओएस, डिमेंशिया,
    एनीमिया, खून की कमी, हर्निया, बवासीर, अल्सर, मोतियाबिंद, ग्लूकोमा, दमे, स्किज़ोफ्रेनिया, ओसीडी, एंग्जायटी,
    चिंता, हेपेटाइटिस बी, लिवर सिरोसिस, सिरोसिस, फैटी लिवर, आर्थराइटिस, स्लिप डिस्क, साइटिका, एपिलेप्सी,
    sugar and bp, diabetes mellitus, mielom*, myelom*, sarkom*, glioblastom*, gliom*, neuroblastom*, polipos*,
    morbus bechterew, bechterew, gürtelros*, gurtelros*, hornhaut*, netzhautabl*, makuladegen*, acufen*, vertigo,
    meniere*, skoliose*, scolios*, escolios*, osteoart*, coxarthros*, gonarthros*, kardiomyopat*, cardiomiopat*,
    miopat*, vorhofflimmern, fibrillaz*, fibrilac*, fibrillation*, flimmer*, migotani*, tachykard*, endokardit*,
    endocardit*, perikardit*, apendicit*, appendicit*, blinddarm*, divertikul*, diverticul*, cistit*, cystit*,
    nefrit*, nephrit*, pielonefrit*, prostatit*, otit*, tonsillit*, mandel*entzund*, polycyst*,
    ovario poliquistic*, eclampsi*, praeklampsi*, gestos*, schwindsucht, hemochromatos*, porphyri*, sarkoidos*,
    sarcoidos*, amyloidos*, sklerodermi*, sclerodermi*, vaskulit*, vasculit*, raynaud*, sjogren*, posttraumatisch*,
    estres postraumatico, stress post-traumatique, stress post traumatico, zespół stresu, ptss, ptsd*,
    anpassungsstor*, belastungsstor*, personlichkeitsstor*, persoonlijkheidsst*, personality disorder, panikstor*,
    panikangst*, essstor*, eetstoornis*, ätstorning*, tvangssyndrom, tvångssyndrom, utbrand*, utmattningssyndrom*,
    hjarninfarkt*, hjarnblodning*, formaksflimmer, forhojt blodtryck, reumatism*, ledgangsreumatism, diabetes typ*,
    sukkersyge, nierinsuff*, nierstenen, galstenen, trombose, boezemfibril*, hartritmest*, beroerte, tia,
    suikerziekte, hoge bloeddruk, schildklier*, alvleesklier*, baarmoeder*kanker, darmontsteking, reuma,
    down syndrom*, down-syndrom*, sindrome de down, sindrome di down, zespół downa, tic disorder, als-patient,
    obsessive compulsive, syndrome de*, sindrome da*, sindrome dell*, syndrome du*, zespół*, ossessiv*,
    hipotireoid*, hipertireoid*, astim*, boreli*, kalp yetmez*, fibrom*, marcapasos, pacemaker*, rollstuhl,
    behinder*, disabil*, discapacid*, handicap*, niepelnospr*, engelli*, blind in one eye, erblindet, deaf, taub,
    gehorlos*, sourd*, ciego, ciega, cieco, sordo, sorda, cego, cega, surdo, niewidom*, gluch*, sagir*, menopaus*,
    wechseljahre, impoten*, erektil*, disfuncion*, inkontin*, incontinen*, hamorrhoid*, hemorroid*, hemoroid*,
    acne, rosacea, shingles, gurtelrose, windpocken, masern, scharlach, mumps, rubeol*, varicel*, sarampion,
    morbillo, scarlatt*, krztus*, salmonel*, giardia*, grippe, influenza*, meningit*, encefal*, enzephal*,
    neuropat*, polineuro*, duchenne, distrofi*, dystroph*, huntington*, gaucher*, marfan*, ehlers*, klinefelter*,
    trisomi*, spina bifida, paralisi*, paralis*, porazen*, lisztmann, stotter*, balbuz*, tartamud*, gagueira,
    jakanie, narkoleps*, narcoleps*, sonambul*, nightmares, albtraum*, selbstverletz*, suicid*, selbstmord*,
    samobojcz*, self-harm*, autolesion*, automutil*, intihar*, psychiatr*, psiquiatr*, psichiatr*, tept, otiz*,
    attacchi di crises de anoreks*, spektrum autyzmu, spettro autistico, poroni*, perso il bambino,
    perdi a mi bebe, perdi o bebe, dusuk yaptım, dusuk yapti*, wylew*, wscieklizn*, guatr, kolesterol*,
    colesterol*, kalp hasta*, kalp ritim*, kalp kapak*, allerg*, alergi*, alergj*, rheumat*, arthritis, bronchit*,
    sinusit*, pancreat*, gonorr*, ulcer*, gastri*, fibros*, mukoviszid*, nierenkrank*, niereninsuff*, nierenstein*,
    nierenvers*, kidney disease*, kidney failure, kidney stone*, dialys*, dialis*, herzfehler, herzkrank*,
    herzrhythm*, vorhof*, cardiopat*, essstorung*, eating disorder*, trouble bipolaire, panik*, panic attack*,
    panic disorder, ataques de phobi*, fobia*, posttraumat*, ptbs, sucht, suchtig, abhangig*, alkoholkrank*,
    toxicoman*, drogadic*, tossicodip*, verslav*, uzalezni*, missbruk*, bagiml*, dyslex*, legasthen*, insomn*,
    schlafapnoe, apnoe*, hypothyr*, hyperthyr*, ipotiroid*, hipotiro*, hashimoto*, basedow*, morbus*, epileps*,
    choler*, angina*, miocard*, metastas*, przerzut*, chemo*, quimio*, niewydolno*, nadczynno*, niedoczynno*,
    luszczyc*, schorzen*, astme, depressie, depressief, hartinfarct*, longontsteking*, longkanker*, darmkanker*,
    reumat*, stroke*, utmattning*, yuksek tansiyon, verem, sara hasta*, sara nobet*, epilepsi, kalp krizi,
    kalp yetmezligi, bobrek*, bipolar bozukluk, panik atak, sclerose en plaques, polyarthrit*, grossesse,
    schwanger*, pregnan*, embaraz*, gravid*, incinta, enceinte, zwanger*, ciazy, ciąży, hamile*, krebsdiagnose,
    krebserkrank*, मधुमेह, डायबिटीज, शुगर, कर्क रोग, अवसाद, डिप्रेशन, अस्थमा, दमा, टीबी, तपेदिक, क्षय रोग, एचआईवी,
    एड्स, मिर्गी, रक्तचाप, ब्लड प्रेशर, गर्भपात, हृदय रोग, दिल का दौरा, हेपेटाइटिस, किडनी, गठिया, माइग्रेन,
    थायराइड, थायरॉइड, सिज़ोफ्रेनिया, ऑटिज़्म, अल्ज़ाइमर, पार्किंसन, लकवा, पीलिया, मलेरिया, डेंगू, बाइपोलर,
    चिंता विकार, 高脂血症, 腰痛, ヘルニア, 狭心症, 不整脈, 膠原病, 肺炎, インフルエンザ, 摂食障害, 依存症,
    アルコール依存, 妊娠, 花粉症, 片頭痛, 偏頭痛, 骨粗鬆症, 子宮筋腫, 前立腺, 大腸がん, 肝臓がん, 膵臓がん,
    食道がん, 子宮頸がん, 悪性リンパ腫, ぜんそく, 緊張型頭痛, ptsd, 冠心病, 心衰, 心律失常, 糖尿, 甲亢, 甲减, 痛风,
    脂肪肝, 肝硬化, 胃溃疡, 肾病, 肾炎, 红斑, 强直, 骨质疏松, 青光眼, 怀孕, 偏头痛, 宫颈癌, 肝癌, 肠癌, 胰腺癌,
    淋巴瘤, 脑瘤, 恐慌症, 惊恐, 双相, 精神病, 多动症, 成瘾, 酒精依赖, 贫血, 过敏, 阅读障碍, 고지혈증, 협심증,
    심부전, 갑상선, 통풍, 폐렴, 간경화, 위염, 위궤양, 신장병, 루푸스, 골다공증, 백내장, 임신, 편두통, 매독,
    자궁경부암, 췌장암, 림프종, 강박증, 중독, 알코올 중독, 빈혈, 알레르기, 허리디스크, 불면증, 섭식장애, 외상 후,
    관절염, 크론병, 다발성 경화증, hiv, diabet*, carcinom*, karzinom*, leukaemi*, leukami*, leucemi*, lymphom*,
    linfom*, tumour*, tumeur*, asthma*, asma, asme, hiv*, vih, aids, sida, epatit*, zapaleni* watroby, tuberculo*,
    tuberkulo*, gruźlic*, epilep*, schizo*, esquizofren*, esquizo*, szizofren*, bipolair*, depress*, depresi*,
    depressao, ansiedad, angststorung*, angstzust*, angstattack*, anxiet*, ansieta, ansiedade, autis*, asperger*,
    adhs, tdah, alzhei*, dementi*, demenz*, demenc*, sclerosi multipla, sclerose*, multiple sklerose, sklerose*,
    multipel skleros, multiple sclerose, lupus, arthrit*, arthros*, morbus crohn, colitis, coeliac*, celiak*,
    zoliakie, fibromialg*, fibromyalg*, endometrio*, nierenversagen, insufisance*, insuffisance*, insuficiencia*,
    insufficienza*, zirrhose, cirros*, cirrhos*, herzinfarkt*, herzschwache, infarct*, infart*, zawal*, hypertens*,
    hipertens*, ipertens*, bluthochdruck*, nadcisnien*, nadciśnien*, schlaganfall*, beroerte*, stroke, avc,
    anorex*, anoress*, bulim*, alkoholsucht*, alkoholabh*, alkoholi*, alkoholproblem*, alcoolis*, syphilis*,
    sifilis*, chlamyd*, malaria*, covid*, pneumon*, polmonite*, neumon*, lungenentzundung*, copd, bpco,
    mukoviszidose, mucoviscidose, psoria*, migraine*, emicrania, migrena, migrene*, glaucom*, glaukom*, osteopor*,
    anami*, schilddruse*, tiroid*, tyroid*, tourette*, zwangsstorung*, borderline*, burnout*, burn-out*, psychos*,
    psicos*, paranoi*, thrombos*, trombos*, embol*, reuma*, rheuma*, gicht, zuckerkrank*, suikerziekte*,
    sockersjuk*, krebs*, krebskrank*, kanker*, rak, nowotw*, brostcancer*, bröstcancer*, seropositi*, seropositif*,
    seropositiv*, sieropositiv*, seropositivo*, unfruchtbar*, sterilit*, abtreibung*, schwangerschaftsabbruch*,
    fehlgeburt*, abortion*, miscarriage*, avortement*, ivg, fausse couche, abortus*, aborcj*, poronien*, abort*,
    kurtaj*, dusuk yap*, heart disease*, heart attack*, sstss, ekzem*, neurodermitis, lahmung*, querschnitt*,
    paraplegi*, hemofil*, hamophil*, transplant*, arythmi*, arritmi*, apnee*, schizofren*, maladie d'alzheimer,
    maladie de parkinson, enfermedad de*, malattia di*, doenca de*, choroba*, chorobę*, sjukdom, seker hastalıg*,
    meme kanseri, bunama, felc, felç, диабет*, сахарн* диабет*, рак, раком, рака, онколог*, депресс*, шизофрен*,
    эпилепс*, астм*, гепатит*, вич, спид, туберкул*, гиперто*, инфаркт*, инсульт*, аутизм*, деменц*, альцгеймер*,
    паркинсон*, склероз*, аборт*, выкидыш*, лейкоз*, лейкем*, опухол*, анорекс*, булими*, биполярн*, алкоголизм*,
    псориаз*, артрит*, мигрен*, анеми*, 糖尿病, がん, 癌, ガン, 乳がん, 肺がん, 胃がん, うつ病, 鬱病, てんかん,
    喘息, 高血圧, 心筋梗塞, 脳梗塞, 脳卒中, 結核, エイズ, パーキンソン病, アルツハイマー, リウマチ, 中絶, 流産,
    潰瘍性大腸炎, クローン病, 多発性硬化症, 不妊症, 拒食症, 過食症, 緑内障, アトピー, 子宮内膜症, 癌症, 乳腺癌,
    肺癌, 胃癌, 抑郁症, 忧郁症, 憂鬱症, 躁郁症, 自闭症, 老年痴呆, 痴呆, 阿尔茨海默, 癫痫, 哮喘, 高血压, 心脏病,
    心肌梗死, 脑梗, 中风, 乙肝, 肺结核, 艾滋病, 帕金森, 类风湿, 肾衰竭, 流产, 堕胎, 红斑狼疮, 焦虑症, 强迫症,
    厌食症, 尿毒症, 肿瘤, 당뇨병, 당뇨, 암, 유방암, 폐암, 위암, 대장암, 간암, 백혈병, 우울증, 조현병, 조울증,
    양극성 장애, 자폐증, 자폐, 치매, 뇌전증, 간질, 천식, 고혈압, 심근경색, 뇌졸중, 뇌경색, 간염, 결핵, 파킨슨병,
    알츠하이머, 류마티스, 신부전, 유산, 낙태, 공황장애, 불안장애, 갑상선암, 녹내장, 아토피
    """
)
CONDITION_ENDINGS = tuple(
    words(
        """
        krebs kanker cancer cancern tumor tumour erkrankung krankheit leiden schwache infarkt sjukdom sjuka ziekte
        kreft kræft syopa depression depressionen storung stoornis sklerose kanseri itis itide opathie opathy opatia
        opati algie algia anamie anemie plegie karzinom lymphom storungen insuffizienz infarct infarto syndrom
        ontsteking zapalenie cancerous allergie allergy
        """
    )
)
LABELS = phrases(
    """
    diagnos*, dx, dg, diagnosi, diagnostico, diagnostic, diagnoza, rozpoznanie, диагноз, teshis*, tanı, tani,
    診断*, 診断名, 病名, 诊断, 診斷, 진단명, 진단, 병명, 상병명, निदान, रोग निदान, medical condition*,
    hauptdiagnose, zustand nach, illness, health condition*, vorerkrankung*, ek hastalık*, hastalık, hastalıgı,
    kronik hastalık*, 既往症, 持病, 病史, 既往史, 既往歴, 과거력, 병력, 지병, 질병, बीमारी, रोग, मेडिकल हिस्ट्री,
    चिकित्सा इतिहास
    """
)
LOOSE_LABELS = phrases(
    """
    atestado*, laudo*, sjukintyg*, remiss, verwijzing*, certificado medico, certificato medico, certificat medical,
    attest, krankmeldung*, krankschreibung, zwolnienie*, skierowanie*, rapor, recete, 診断書, 病假单, 病假, 진단서,
    소견서, प्रमाण पत्र, prescription, indication, indicacao, indicazione, queixa, parere medico, informe medico,
    referto, relatorio medico, utlatande, hd, cid, cie, icd, cim, assessment, impression, reason, hx, pmh, pmhx,
    history, sick leave, krankheit*, anamnes*, anamnese, anamnesi, aufnahmegrund, einweisungsgrund, befund, grund,
    beurteilung, maladie*, antecedent*, motif*, pathologie*, enfermedad*, antecedentes, motivo, patologia*,
    malattia, malattie, doenca*, historico, aandoening*, voorgeschiedenis, reden*, ziekte*, choroba, choroby,
    wywiad, powod*, sjukdom*, orsak, inlaggningsorsak*, tidigare, ozgecmis, ozgecmiş, sikayet*, neden*, conditions,
    condition, comorbid*, allerg*, alergi*, alergia*, unvertrag*, 主訴, 症状, 主诉, 病情, 사유, 소견, कारण, समस्या,
    анамнез, болезн*
    """
)
# Adjectives that say by themselves what somebody has.
ADJECTIVES = phrases(
    """
    diabetiker*, diabetisch, diabetiqu*, diabetico, diabetica, diabetyk*, diabetes, epileptiker*, epileptisch,
    epileptiqu*, epileptico, epileptica, autistisch, autistin, autist, autiste, autista, autystyczn*, depressiv*,
    depressif, depressive, deprimid*, depresso, depressa, schizophren, schizophrene, esquizofrenico, esquizofrenica,
    bipolar, bipolaire, bipolare, hiv-positiv*, hiv positive, seropositif, seropositive, seropositivo, seropositiva,
    sieropositivo, sieropositiva, krebskrank, zuckerkrank, alkoholiker*, alcoolique, alcoholico, alcoholica,
    alcolista, alkoholi*, celiac*, celiaco, celiaca, coeliaque, zoliakie, magersuchtig, anorexique, anorexica,
    asthmatiker*, asthmatique, asmatico, asmatica, dement, demente, diabetyczk*, astmatisk, diabetiker, hjartsjuk
    """
)
# Words beside which a condition is spoken of in general.
GENERAL = phrases(
    """
     research*, study, studies,  article*,     charity, donat*, awareness,
    campaign, statistics,    prevent*,    studie*, forschung*,  artikel,
    vortrag, spende*,   recherche*,  etude*, article,  investigacion*,  estudio*,
    articulo,  ricerca, studio, articolo, pesquisa*,  estudo*, artigo,  onderzoek*,  artykul*,
    ksiazk*, badani*,  forskning*,   arastirma*, kitap, 研究,  論文,  论文,
    연구,  논문,  शोध, किताब, बारे में
    """
)
ASKING = tuple(
    words(
        """
        if wenn falls si se als jesli jeśli gdy om quando cuando quand people menschen eger what which how why does
        do is are can could explain define list describe who when where was ist sind wie warum welche welches woran
        wieso kann konnen que qu'est-ce qu'est quels quelles quel quelle comment pourquoi est-ce cual cuales como por
        donde cosa che cos'e quali come perche qual quais wat wie hoe waarom welke co jak dlaczego jakie czym vad hur
        varfor vilka mita что как почему какие какой nedir neden nasil 什么 什麼 怎么 如何 为什么 なぜ 何
        """
    )
)
QUESTION_SIGNS = ("とは", "何ですか", "ですか", "什么是", "是什么", "란 무엇", "무엇인가", "인가요", "nedir")
