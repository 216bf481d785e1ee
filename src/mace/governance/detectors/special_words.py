"""Names of fields that the law protects by name, and of what a person tells to few. Tables and nothing else.

`LABELS` are spoken of in texts (`Religion: ...`, `my religion is ...`); `FIELDS` are patterns of folded field names.
Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on.
"""

from mace.governance.detectors.findings import phrases, words

LABELS = {
    "religion": phrases(
        """
        religion, religious affiliation, religious belief*, faith, confession, denomination, konfession*,
        religionszugehorigkeit*, glaube, croyance*, confession religieuse, appartenance religieuse, religion*,
        religione, credo, fede, religiao, crenca, geloof, geloofsovertuiging*, godsdienst, wyznanie*, religia,
        trossamfund, trosuppfattning, tro, uskonto, nabozenstvi, vallas, dini, din, dinim, inanc*, вероисповедание,
        религия, вера, θρησκευμα, 宗教*, 信仰*, 宗教信仰, 종교*, agama, ton giao, धर्म, मज़हब, पंथ, mezhep,
        mezhebi, inanci, inancı, gudstro, konfession laut*, الديانة, דת
        """
    ),
    "political_view": phrases(
        """
        political party, political affiliation*, political view*, political opinion*, party membership,
        party affiliation, partei, parteimitgliedschaft*, parteizugehorigkeit*, politische*, parti politique,
        opinion* politique*, opinion* politica*, afiliacion politica, partido politico, partido, partito politico,
        partito, orientamento politico, opinione politica, filiacao partidaria, opiniao politica, politieke*,
        partijlidmaatschap, partia, poglady polityczne, przynaleznosc partyjna, partitillhorighet, politisk*,
        siyasi*, политическ*, партия, партийность, 支持政党*, 政党*, 政治面貌*, 党派*, 정당*, 지지 정당,
        राजनीतिक दल, पार्टी, राजनीतिक विचार, राजनीतिक संबद्धता, parteimitglied*, parti, parti uyelig*, partij,
        politisk tillhorighet, party, partiva, siyasi gorus*, siyasi parti*, 政治立場, 政治立场, 政治观点,
        정치 성향, 정치성향, 당적
        """
    ),
    "union_membership": phrases(
        """
        union membership, trade union*, labor union*, labour union*, union member*, gewerkschaft*, syndicat*,
        adhesion syndicale, appartenance syndicale, sindicato*, afiliacion sindical, iscrizione sindacale,
        sindacato, filiacao sindical, vakbond*, vakbondslidmaatschap, zwiazek zawodowy, zwiazk* zawodow*,
        związek zawodowy, przynaleznosc zwiazkowa, facklig*, fackforbund*, fackmedlemskap, fagforening*, sendika*,
        профсоюз*, 労働組合*, 組合*, 工会*, 노조*, 노동조합*, यूनियन, श्रमिक संघ, ट्रेड यूनियन, मजदूर संघ, union,
        gewerkschaftsmitglied*, sendika uyelig*, syndicat, adherent syndical, sindical, sindacale, fack, 所属組合,
        노조 가입, 노동조합 가입
        """
    ),
    "ethnic_origin": phrases(
        """
        ethnic origin*, ethnicity, ethnic group, race, racial origin*, ethnic background, ethnische*, ethnie,
        hautfarbe, origine ethnique, origen etnico, etnia, raza, origine etnica, razza, origem etnica, raca,
        raca/cor, etniciteit, etnische*, pochodzenie etniczne, narodowosc, etniskt ursprung, etnicitet,
        etnik koken, irk, национальность, раса, этническ*, 民族*, 種族*, 种族*, 人種*, 민족*, 인종*, जाति, जातीयता,
        नस्ल, caste, etnik koken*, etnicidade, ras, pochodzenie, herkunft ethnisch, 族裔*, 出身民族, 출신 민족,
        समुदाय
        """
    ),
    "sexual_orientation": phrases(
        """
        sexual orientation, sexual preference, sexuality, sexuelle orientierung, sexualitat, orientation sexuelle,
        orientacion sexual, orientamento sessuale, orientacao sexual, seksuele*, geaardheid, orientacja seksualna,
        orientacja, sexuell laggning, sexuell orientering, seksuel orientering, cinsel yonelim*, сексуальн*,
        性的指向*, 性取向*, 성적 지향*, 성적지향*, यौन अभिविन्यास, यौन रुझान, यौन रुचि, लैंगिक रुझान,
        sexuelle neigung, seksuele voorkeur, 性倾向*, 성정체성, 성 정체성
        """
    ),
    "criminal_record": phrases(
        """
        criminal record*, criminal history, prior conviction*, convicted of, convicted for, conviction for,
        found guilty of, arrested for, served time for, sentenced for, vorstrafe*, vorbestraft wegen,
        verurteilt wegen, casier judiciaire, condamne pour, condamnee pour, antecedentes penales, antecedentes,
        condenado por, condenada por, precedenti penali, condannato per, condannata per, casellario,
        antecedentes criminais, strafblad, veroordeeld voor, veroordeeld wegens, karalnosc*, karany za, karana za,
        skazany za, skazana za, belastningsregister*, domd for, brottsregister*, sabika*, судимость*, осужден за,
        осуждён за, судим за, 前科*, 犯罪歴*, 犯罪记录*, 전과*, 범죄 경력*, 범죄경력*, आपराधिक रिकॉर्ड,
        आपराधिक इतिहास, सजा, karalnosc, karalność, niekaralnosc, sabika kaydi, sabıka kaydı, sabıka*, casier,
        penales, straffregister*, fuhrungszeugnis, 犯罪*, 前歴*, 刑事记录, 违法犯罪记录, 범죄기록, 범죄 기록
        """
    ),
    "blood_type": phrases(
        """
        blood type, blood group, bloodtype, my blood is, blutgruppe*, groupe sanguin, grupo sanguineo,
        tipo de sangre, gruppo sanguigno, tipo sanguineo, tipo de sangue, bloedgroep*, grupa krwi, blodgrupp*,
        blodtype*, kan grubu*, группа крови, 血液型*, 血型*, 혈액형*, ब्लड ग्रुप, रक्त समूह, kan grubum
        """
    ),
    "salary": phrases(
        """
        salary, salaries, my pay, annual income, yearly income, monthly income, income, wage, wages, earn, earns,
        make, gross pay, gehalt, monatsgehalt, jahresgehalt, bruttogehalt, nettogehalt, bruttolohn, einkommen,
        verdiene, verdient, lohn, salaire, remuneration, revenu, revenus, gagne, salario, sueldo, ingresos, gano,
        nomina, stipendio, reddito, guadagno, ral, salaire brut, renda, ganho, ordenado, vencimento, salaris, loon,
        verdien, inkomen, brutoloon, wynagrodzenie, pensja, zarobki, zarabiam, placa, manadslon, inkomst, tjanar,
        maas, maasim, aylik, gelir, зарплата, оклад, доход, зарабатываю, 年収*, 月給*, 給料*, 給与*, वेतन, तनख्वाह,
        आय, maasım*, maaşım, 工资*, 月薪*, 年薪*, 薪资*, 收入*, 연봉*, 월급*, 급여*
        """
    ),
    "maiden_name": phrases(
        """
        maiden name, birth name, nee, geburtsname, madchenname, geborene, nom de jeune fille, nom de naissance,
        apellido de soltera, nombre de soltera, apellido materno, cognome da nubile, cognome da ragazza,
        nome de solteira, meisjesnaam, geboortenaam, nazwisko panienskie, nazwisko panieńskie, nazwisko rodowe,
        flicknamn, fodelsenamn, kizlik soyadi*, kızlık soyad*, девичья фамилия, 旧姓*, 婚前姓*, 결혼 전 성*
        """
    ),
}

FIELDS = {
    "religion": words(
        r"""
        religion religious_?(?:affiliation|beliefs?|views?) faith denomination confession konfession
        religions?zugehorigkeit glaube religione credo religiao geloof godsdienst wyznanie religia vallas din dini
        вероисповедание религия 宗教 宗教信仰 信仰 종교
        """
    ),
    "political_view": words(
        r"""
        party political_?(?:party|views?|opinions?|affiliation|leaning) politics party_?(?:membership|affiliation)
        voted_?for partei parteimitgliedschaft parteizugehorigkeit parti_?politique opinions?_?politiques?
        partido(?:_?politico)? partito opinione_?politica politieke_?\w+ partia poglady_?polityczne political 政党
        政治面貌 정당
        """
    ),
    "union_membership": words(
        r"""
        union trade_?union labou?r_?union union_?(?:membership|member|name) gewerkschaft(?:szugehorigkeit|smitglied)?
        syndicat appartenance_?syndicale sindicato afiliacion_?sindical sindacato vakbond(?:slidmaatschap)?
        zwiazek_?zawodowy fackforbund facklig_?\w+ sendika профсоюз 工会 労働組合 노조
        """
    ),
    "ethnic_origin": words(
        r"""
        ethnic_?(?:origin|group|background) ethnicity race racial_?origin ethnie ethnische_?\w+ origine_?ethnique
        origen_?etnico etnia raza origine_?etnica razza origem_?etnica raca etniciteit pochodzenie_?etniczne
        etnicitet irk национальность 民族 人種 민족 skin_?colou?r hautfarbe
        """
    ),
    "sexual_orientation": words(
        r"""
        sexual_?(?:orientation|preference) sexuality sexuelle_?orientierung orientation_?sexuelle orientacion_?sexual
        orientamento_?sessuale orientacao_?sexual seksuele_?\w+ geaardheid orientacja(?:_?seksualna)?
        sexuell_?laggning 性的指向 性取向 성적_?지향 gender_?identity
        """
    ),
    "criminal_record": words(
        r"""
        criminal_?(?:record|history|offen[cs]es?|convictions?) convictions? felon(?:y|ies) vorstrafen?
        casier_?judiciaire antecedentes(?:_?penales|_?criminais)? precedenti_?penali strafblad karalnosc
        belastningsregister sabika судимость 前科 犯罪歴 전과 rap_?sheet
        """
    ),
    "blood_type": words(
        r"""
        blood_?(?:type|group) bloodtype blutgruppe groupe_?sanguin grupo_?sanguineo gruppo_?sanguigno
        tipo_?(?:de_?)?sangu\w+ bloedgroep grupa_?krwi blodgrupp kan_?grubu группа_крови 血液型 血型 혈액형
        """
    ),
    "salary": words(
        r"""
        salary (?:base|annual|monthly|gross|net|current)_?(?:salary|pay|income) wages? income gehalt \w{0,10}gehalt
        einkommen lohn salaire salario sueldo stipendio salaris loon wynagrodzenie pensja manadslon maas зарплата
        年収 給与 工资 月薪 年薪 연봉 급여 compensation
        """
    ),
    "maiden_name": words(
        r"""
        maiden_?name (?:mothers?|mother_?s)_?maiden(?:_?name)? birth_?name geburtsname madchenname
        nom_?de_?jeune_?fille nom_?de_?naissance apellido_?(?:de_?soltera|materno) cognome_?da_?nubile
        nome_?de_?solteira meisjesnaam geboortenaam nazwisko_?(?:panienskie|rodowe) flicknamn kizlik_?soyadi
        девичья_фамилия 旧姓
        """
    ),
}

ORIENTATIONS = sorted(
    words(
        """
        gay lesbian bisexual homosexual asexual pansexual queer schwul lesbisch bisexuell homosexuell asexuell
        lesbienne bisexuel bisexuelle homosexuelle homo lesbiana lesbica omosessuale bisessuale homosexueel gej gejem
        lesbijka lesbijka homoseksualny homoseksualna biseksualny biseksualna
        """
    )
)

# What people are, or belong to: counts where a person is spoken of.
TERMS = {
    "religion": phrases(
        """
        muslim*, moslem*, catholic*, katholi*, catholique*, catolic*, cattolic*, protestant*, evangel*, orthodox*,
        orthodoxe*, ortodox*, ortodoks*, prawoslawn*, jewish, jude, judin, judisch*, juif, juive, judio, judia,
        ebreo, ebrea, judeu, joods*, zydem, zydowk*, żyd*, judisk*, yahudi*, hindu*, buddhist*, budist*,
        bouddhiste*, boeddhist*, sikh*, mormon*, jehova*, jehovah*, atheist*, athee, ateo, atea, ateu, ateist*,
        agnosti*, baptist*, lutheran*, luterran*, luteran*, anglican*, methodist*, pentecost*, quaker*, adventist*,
        musulman*, musulmano, muculman*, mussulman*, islamitisch*, moslim*, muzulman*, muzułman*, alevi*, sunni*,
        shia*, scientolog*, christian, christlich*, chretien*, cristian*, christen, chrzescijan*, chrześcijan*,
        kristen, kristna, hristiyan*, jain*, イスラム教*, 仏教徒*, キリスト教*, クリスチャン*, カトリック*,
        ムスリム*, 創価学会*, 神道*, 基督徒*, 佛教徒*, 穆斯林*, 天主教*, 道教*, 伊斯兰*, 기독교*, 불교*, 천주교*,
        개신교*, 이슬람*, 무슬림*, 원불교*, islam, мусульман*, православн*, христиан*, иуде*, атеист*, मुस्लिम,
        हिंदू, ईसाई, सिख, जैन, बौद्ध, नास्तिक, इस्लाम
        """
    ),
    "political_view": phrases(
        """
        labour party, labour, tory, tories, conservative party, republican party, republicans, democratic party,
        green party, lib dem*, ukip, snp, cdu, csu, spd, fdp, afd, die grunen, die linke, parti socialiste,
        rassemblement national, les republicains, la france insoumise, psoe, podemos, vox, partido popular, morena,
        partito democratico, fratelli d'italia, lega, movimento 5 stelle, forza italia, partido dos trabalhadores,
        psdb, psol, bolsonar*, pvv, vvd, groenlinks, d66, cda, pis, prawo i sprawiedliwosc, platforma obywatelska,
        konfederacj*, lewica, socialdemokrat*, moderaterna, sverigedemokrat*, vansterpartiet, miljopartiet, akp, chp,
        mhp, hdp, communist*, kommunist*, comunista*, communiste*, socialist*, sozialist*, anarchist*, 自民党*,
        立憲民主党*, 共産党*, 公明党*, 日本維新*, 共产党*, 党员*, 国民党*, 民进党*, 더불어민주당*, 국민의힘*,
        정의당*, 민주당*, भाजपा, कांग्रेस, आम आदमी पार्टी, बसपा, सपा
        """
    ),
    "union_membership": phrases(
        """
        union member*, trade union*, unison, unite the union, teamsters, afl-cio, seiu, usdaw, gewerkschaft*, ver.di,
        verdi, ig metall, ig bce, gew, cgt, cfdt, syndique*, syndicat*, ugt, ccoo, comisiones obreras, sindicato*,
        sindicalizad*, sindacato*, cgil, cisl, uil, sindicat*, cut, fnv, cnv, vakbond*, solidarnosc*, solidarność,
        opzz, zwiazk* zawodow*, związk* zawodow*, fackforbund*, facket, unionen, if metall, kommunal, sendika*, disk,
        turk-is, 労働組合*, 労組*, 組合員*, 連合, 工会*, 노조*, 노동조합*, 민주노총*, 한국노총*, यूनियन, मजदूर संघ,
        श्रमिक संघ
        """
    ),
    "ethnic_origin": phrases(
        """
        roma, sinti, gypsy, kurdish, kurde, kurdin, kurdisch*, kurdo, kurda, kurd, african american, afro-*,
        afroamerican*, afrodescend*, black british, hispanic, latino, latina, caucasian, maori, aboriginal, inuit,
        cherokee, navajo, sami, uighur*, uyghur*, tamil, berber*, rom, gitan*, gitano, gitana, tzigane*, cigan*,
        zingar*, zigeuner*, mestizo, mestiza, mapuche, quechua, guarani, indigena, indigen*, mulat*, negro, negra,
        pardo, parda, noir, noire, schwarze*, romani, romsk*, cigany, çingene, laz, cerkes, アイヌ*, 在日韓国人*,
        在日朝鮮人*, 维吾尔*, 藏族*, 回族*, 蒙古族*, 壮族*, 满族*, 汉族*, 조선족*, 고려인*, 다문화*, दलित, आदिवासी,
        अनुसूचित जाति, ब्राह्मण, ओबीसी
        """
    ),
    "sexual_orientation": phrases(
        """
        gay, lesbian*, bisexual*, homosexual*, asexual*, pansexual*, queer, transgender*, trans man, trans woman,
        transsexu*, schwul, schwuler, lesbisch*, bisexuell*, homosexuell*, lesbienne*, bisexuel*, homosexuel*,
        homossexua*, lesbiana*, gays, lesbica, lesbiche, omosessual*, bisessual*, lesbica*, bissexual*, homoseksu*,
        biseksu*, gejem, gej, lesbijk*, homosexueel, bi, transexual*, escinsel*, lezbiyen*, biseksuel*, ゲイ*,
        レズビアン*, 同性愛*, バイセクシュアル*, トランスジェンダー*, 同性恋*, 双性恋*, 跨性别*, 동성애*, 게이*,
        레즈비언*, 양성애*, 트랜스젠더*, समलैंगिक*, उभयलिंगी
        """
    ),
    "criminal_record": phrases(
        """
        convicted, conviction*, criminal record, ex-con, felon, felony, served time, prison sentence, probation,
        parole, vorbestraft*, vorstrafe*, verurteilt*, bewahrung*, gefangnis*, haftstrafe*, condamn*,
        casier judiciaire, prison ferme, sursis, antecedentes*, condenad*, carcel, prision, condannat*,
        precedenti penali, carcere, pregiudicat*, presidio, strafblad*, veroordeeld*, celstraf*, gevangenis*, karan*,
        skazan*, wyrok*, wiezieni*, więzieni*, domd, domdes, fangelse*, belastningsregist*, sabikali*, sabıka*,
        hapis*, mahkum*, 前科*, 有罪判決*, 懲役*, 執行猶予*, 逮捕歴*, 犯罪歴*, 犯罪记录*, 判刑*, 坐过牢*, 有期徒刑*,
        缓刑*, 전과*, 징역*, 집행유예*, 유죄*, दोषी, सजा, जेल, आपराधिक
        """
    ),
}

# Names and words that mean something else as well: they count only beside a word for belonging to them.
PLAIN_WORDS = frozenset(
    phrases(
        """
        labour, lega, vox, morena, pis, cda, disk, cut, verdi, gew, uil, cnv, unison, unionen, kommunal, facket, rom,
        roma, laz, sami, negro, negra, pardo, parda, noir, noire, tamil, berber, queer, christen, kristen, podemos,
        republicans, tories, 連合, सपा, conviction, prison, presidio, sursis, trade union, union member
        """
    )
)

# Folded as names of fields are: the signs of vowels are no letters there.
HINDI_FIELDS = {
    "religion": phrases("धर्म, मज़हब, पंथ"),
    "political_view": phrases("राजनीतिक दल, पार्टी, राजनीतिक विचार"),
    "union_membership": phrases("यूनियन, श्रमिक संघ, ट्रेड यूनियन, मजदूर संघ"),
    "ethnic_origin": phrases("जाति, जातीयता, नस्ल"),
    "sexual_orientation": phrases("यौन अभिविन्यास, यौन रुझान"),
    "criminal_record": phrases("आपराधिक रिकॉर्ड, आपराधिक इतिहास"),
}
