"""Words for what the law protects by name, in sixteen languages, and who says them of whom. Tables and nothing else.

Beside `special_words.py`. Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on.
"""

from typing import NamedTuple

from mace.governance.detectors.findings import phrases


class Saying(NamedTuple):
    """One language: persons, verbs of being or belonging, and what holds its person itself."""

    persons: str
    verbs: str
    own: str


# What people are or belong to. Each counts only in a sentence that says it of a person.
TERMS = {
    "religion": phrases(
        """
        roman catholic*, greek orthodox, russian orthodox, born-again christian*, presbyterian*, church of england,
        hasidic, ahmadi*, ismaili*, zoroastrian*, wiccan*, bahai*, baha'i*, druze*, yazidi*, jew, jews, judaism,
        jehovah's witness*, hinduism, buddhism, sunnit*, schiit*, jesid*, ezid*, alevit*, konfessionslos*, freikirch*,
        neuapostolisch*, zeuge jehovas, zeugin jehovas, zeugen jehovas, buddhistin, moslemin, griechisch-orthodox*,
        romisch-katholisch*, juif*, juive*, temoin de jehovah, temoins de jehovah, chiite*, sunnite*, israelite,
        testigo de jehova,
        testiga de jehova, testigos de jehova, chiita, sunita, sciita, evangelic*, cristiana, cristiano, valdese*,
        buddista*, induista*, ortodoss*, testimone di geova, testimoni di geova, espirita*, umbandist*, candomble*,
        testemunha de jeova, testemunhas de jeova, crista, cristao, islamica, islamico, gereformeerd*, hervormd*,
        katholiek*, protestants*, moslima*, jood, joodse, remonstrant*, getuige van jehova, getuigen van jehova,
        hindoe*, boeddhis*, svenska kyrkan, katolik*, katolsk*, pingst*, frikyrklig*, muslimsk*, jude,
        jehovas vittne*,
        ateist*, troende muslim, rzymskokatolic*, katolick*, katolicz*, ewangelik*, ewangelic*, luteran*,
        protestanck*,
        swiadk* jehowy, świadkiem jehowy, swiadkiem jehowy*, buddyst*, buddyjs*, prawosławn*, zielonoswiatk*,
        muzułmank*, musluman*, musevi*, deist*, yezidi*, suryani*, ortodoks*, caferi*, budist*, yehova*, hristiyan*,
        католик*, католич*, протестант*, баптист*, старообряд*, буддист*, буддизм*, ислам*, иудаизм*, иуде*,
        мусульман*, православ*, христиан*, атеист*, адвентист*, лютеран*, пятидесятни*, свидетел* иегов*, агностик*,
        суннит*, шиит*, مسلم*, مسيحي*, المسيحية, الإسلام, شيعي*, الشيعة, سني*, السنة والجماعة, درزي*, يهودي*, قبطي*,
        كاثوليكي*, الكاثوليكية, أرثوذكسي*, ارثوذكسي*, الأرثوذكسية, بروتستانتي*, ملحد*, بهائي*, البهائية, زيدي*,
        إسماعيلي*, بوذي*, البوذية, اليهودية, ماروني*, इस्लाम*, हिन्दू*, मुसलमान*, इसाई*, ईसाई*, पारसी*, कैथोलिक*, यहूदी*,
        बौद्ध*, जैन धर्म, सिख*, शिया*, सुन्नी*, 浄土真宗*, 日蓮*, 真言宗*, 曹洞宗*, 臨済宗*, エホバの証人*,
        プロテスタント*,
        天理教*, 統一教会*, 幸福の科学*, ユダヤ教*, ヒンドゥー教*, ヒンズー教*, 仏教*, モルモン教*, 無神論*,
        基督教*, 佛教*,
        回教*, 法轮功*, 东正教*, 犹太教*, 摩门教*, 无神论*, 信佛*, 清真*, 一贯道*, 크리스천*, 여호와의 증인*, 불자*,
        통일교*,
        신천지*, 유대교*, 힌두교*, 무신론*, 성공회*, 가톨릭*, 카톨릭*, 장로교*, 감리교*, 침례교*, 모르몬*
        """
    ),
    "political_view": phrases(
        """
        democrat, republican, libertarian*, marxist*, conservatives, liberal democrats, labour party, reform uk,
        plaid cymru, sinn fein, democratic socialists, maga, green, ovp, fpo, spo, neos, bsw, piratenpartei,
        bundnis 90*,
        grunen, linken, linkspartei, freien wahler*, freie wahler, lfi, france insoumise, eelv, les ecologistes,
        republicains, greens,
        europe ecologie*, parti communiste*, pcf, reconquete, front national, modem, ps, rn, lr, ciudadanos, sumar,
        erc, junts,
        bildu, pnv, izquierda unida, mas pais, pri, pan, pp, m5s, cinque stelle, fdi, pd, sinistra italiana,
        rifondazione*,
        partito comunista*, azione, italia viva, pt, pcp, chega, mdb, pl, partido novo, partido comunista*,
        partido socialista*, bloco de esquerda, iniciativa liberal, psd, pdt, pvda, sp, fvd, forum voor democratie,
        nsc,
        denk, christenunie, sgp, volt, partij voor de dieren, bij1, po, psl, razem, polska 2050, nowa lewica,
        nowej lewicy, prawa i sprawiedliwosci, prawa i sprawiedliwości, platformy obywatelskiej, koalicj* obywatelsk*,
        centerpartiet, liberalerna, kristdemokrat*, miljopartist*, vansterpartist*, moderat, sosse,
        feministiskt initiativ,
        iyi parti*, saadet parti*, ak parti*, dem parti*, zafer parti*, turkiye isci parti*, tip, единая россия,
        единой росси*, единую росси*, кпрф, лдпр, справедлив* росси*, яблок*, новые люди, навальн*, коммунист*,
        либертариан*, оппозици*, партии, الإخوان المسلمين, الاخوان المسلمين, حماس, حركة فتح, حركة النهضة, النهضة,
        حزب الله,
        شيوعي*, بعثي*, حزب*, يساري*, अकाली दल*, बीजेपी*, समाजवादी पार्टी*, बहुजन समाज पार्टी*, शिवसेना*,
        तृणमूल*, माकपा*, कांग्रेस*, भारतीय जनता पार्टी*, आरएसएस*, वामपंथी*, भाजपा*, आम आदमी पार्टी*, कम्युनिस्ट*,
        れいわ新選組*, 国民民主党*, 社民党*, 参政党*, 日本共産党*, 日本維新の会*, 自由民主党*, 民盟*, 民建*, 民进会*,
        九三学社*, 共青团*, 民主党*, 共和党*, 民众党*, 时代力量*, 中共*, 진보당*, 개혁신당*, 조국혁신당*, 녹색당*,
        공산당*
        """
    ),
    "union_membership": phrases(
        """
        usw, uaw, afscme, ibew, gmb, rmt, aslef, nasuwt, neu, unite, unison, cwa, pcs, fbu, ucu, unite here, ig bau,
        ngg,
        evg, gdl, gdp, dgb, marburger bund, ogb, gpa, igbce, unia, beamtenbund, cfe-cgc, cftc, fo, force ouvriere,
        sud,
        solidaires, sud-rail, sud rail, unsa, fsu, snes, usaid sindical, csif, uso, cnt, ela, lab, stec, cisl, ugl,
        usb,
        cobas, fiom, flai, nursing up, cgtp, fenprof, stal, apeoesp, forca sindical, sinttel, sindicato*, acv, abvv,
        fgtb,
        csc, aclvb, avv, aob, nu'91, znp, nszz solidarnosc*, nszz solidarność, solidarnosci, solidarności, opzz, lo,
        tco,
        saco, sveriges larare, lararforbundet, lararnas riksforbund, vision, vardforbundet, byggnads, byggnads*,
        handels, handelsanstalldas*, seko, st, hak-is, turk metal, egitim-sen, egitim sen, kesk, tez-koop-is,
        birlesik metal*,
        memur-sen, petrol-is, turk-is, disk, sendikası*, профсоюз*, نقابة*, نقابات*, الاتحاد العام*, اتحاد العمال*,
        自治労*, 日教組*, 電機連合*, uaゼンセン*, 全労連*, 自動車総連*, 国労*, jr総連*, ユニオン*, 総工会*,
        全国总工会*,
        전교조*, 금속노조*, 공무원노조*, 공공운수노조*, 화물연대*, 보건의료노조*, 노조원*, 조합원*, इंटक*, सीटू*, एटक*,
        भारतीय मजदूर संघ*, भारतीय मज़दूर संघ*, मज़दूर संघ*, कर्मचारी संघ*, शिक्षक संघ*, ट्रेड यूनियन*, यूनियन*
        """
    ),
    "ethnic_origin": phrases(
        """
        kurd, kurds, kurdish, romani, sinto, sintiz*, roma and sinti, native american, first nations, metis, punjabi,
        tamil, igbo, yoruba, hausa, hazara*, pashtun*, rohingya*, tutsi, hutu, ashkenazi*, sephardi*, afro-caribbean,
        black caribbean, black african, black american, mixed race, mixed-race, person of colour, person of color,
        arab, armenian*, sorbe, sorbin, sorbisch*, romni, afrodeutsch*, schwarzer deutscher, kabyle*, berbere*,
        amazigh*,
        metisse*, antillais*, maghrebin*, arabe, tsigane*, aymara*, nahua*, zapotec*, afrocolombian*, afroperuan*,
        afroecuatorian*, mulato, mulata, preto, preta, quilombola*, indigena*, afro-brasileir*, afrobrasileir*,
        cigano,
        cigana, nero, nera, molukse*, molukker*, creool*, creolse, hindoestaan*, koerd*, javaans*, kurdyjsk*, kurdem,
        romem, romka, romsk*, łemk*, kaszub*, tatar*, slazak*, ślązak*, samisk*, samer, kurd*, kurdisk*, assyri*,
        syrian*, tornedaling*, zaza*, kurt, same, cerkes*, arap*, ermeni*, cingene*, roman vatandas*, gurcu*, bosnak*,
        татар*, чечен*, чечён*, цыган*, евре*, башкир*, калмы*, армян*, дагестан*, узбе*, таджи*, якут*, бурят*,
        чуваш*,
        ингуш*, курд*, аварец*, аварк*, осетин*, грузин*, كردي*, أمازيغي*, امازيغي*, نوبي*, غجري*, شركسي*, تركماني*,
        آشوري*, أرمني*, سرياني*, إيزيدي*, ايزيدي*, فلسطيني*, यादव, राजपूत, जाट, मराठा, कुर्मी, संथाल*, गोंड*, मीणा, दलित*,
        आदिवासी*, ब्राह्मण*, 琉球民族*, 在日コリアン*, 在日三世*, 在日二世*, クルド人*, アイヌ民族*, 日系ブラジル*,
        苗族*,
        彝族*, 朝鲜族*, 哈萨克族*, 土家族*, 侗族*, 瑶族*, 白族*, 傣族*, 维族*, 원주민*, 화교*, 고려인*, 조선족*
        """
    ),
    "sexual_orientation": phrases(
        """
        lgbt*, homosexual*, heterosexual*, heterosexuell*, heterosexuel*, intersex*, non-binary, nonbinary,
        nichtbinar*,
        trans-frau, trans-mann, transfrau, transmann, trans, transgenre*, transidentitaire, femme trans, homme trans,
        homo, pede, bi, bisessual*, transessual*, gays, lesb, pansexuell*, bog, flata, lesbisk*, transperson,
        asexuell*, pansexuel*,
        transpłciow*, transplciow*, lesbijka, geja, panseksu*, aseksu*, gey, geyim, trans birey, trans kadın,
        трансгендер*,
        гей, геем, геи, гея, лесбиянк*, бисексуал*, гомосексуал*, транс-мужчин*, مثلي*, مثليّ*, سحاقية, ثنائي الميول*,
        ثنائية الميول*, متحول جنسي*, متحولة جنسي*, عابر جنسي*, عابرة جنسي*, गे, लेस्बियन*, ट्रांसजेंडर*, द्विलैंगिक*,
        बाइसेक्सुअल*, समलैंगिक*,
        レズ*, バイセクシャル*, バイセクシュアル*, パンセクシュアル*, アセクシュアル*, トランス女性*, トランス男性*,
        同志,
        拉拉, 男同*, 女同*, 无性恋*, 퀴어*, 성소수자*, 무성애*, 범성애*
        """
    ),
}

# Names that are also plain words, or two letters: they count only right beside a word for belonging.
PLAIN = frozenset(
    phrases(
        """
        democrat, republican, conservatives, green, greens, republicains, modem, ps, rn, lr, sumar, junts, erc, pri,
        pan, pp, pd, pt, pl, psd, azione, sp, denk,
        volt, po, razem, tip, moderat, sosse, партии, neu, unite, unison, cwa, pcs, unia, gdp, fo, sud, uso, ela,
        lab, usb, csc,
        lo, st, vision, handels, seko, disk, stal, flai, gpa, avv, grunen, linken, neos, nsc, ngg, cnt, spo, fpo, fdi,
        opposition, оппозици, maga, 同志, बि, нет, النهضة, bsw, uil, cut
        """
    )
)

# Words after a term (or a term that goes on) which speak of an institution, a thing or of many.
THINGS = (
    r"\s(?:church\w*|schools?|hospitals?|universit\w+|history|culture|studies|countr\w+|restaurants?|festivals?|"
    r"art|music|"
    r"literature|communit\w+|food|traditions?|faith|relief|charit\w+|press|vote|voters|votes|people|population|"
    r"leaders?|"
    r"priests?|bishops?|mosques?|temples?|cemeter\w+|holidays?|calendar|world|law|state|states|government|minister|"
    r"prime|politicians?|candidates?|senators?|primary|convention|policy|theory|rights|bars?|clubs?|pride|marriage|"
    r"couples?|movement|literature|theology|doctrine|league|congress|council|leader|mps?|mp|headquarters|spokes\w+|"
    r"kirche\w*|schule\w*|krankenhaus\w*|gemeinde\w*|lander|feiertag\w*|fraktion|abgeordnete\w*|chef|politik\w*|"
    r"eglise|ecole\w*|hopital|iglesia|escuela|colegio|chiesa|scuola|igreja|escola|kerk|school|kosciol\w*|kosci\w+|"
    r"szkoł\w+|kyrkan?|skola|kilise\w*|okul\w*|церк\w+|храм\w*|школ\w+|праздник\w*)\b"
)

# By language: persons, verbs that say what one is or belongs to, and what holds its person itself.
SAYINGS = (
    Saying(
        r"i|he|she|we|me|him|they|(?:my|his|her|our|their)\s(?:[a-z\-]+\s)?(?:wife|husband|partner|mother|mum|mom|"
        r"father|"
        r"dad|son|daughter|brother|sister|family|parents|uncle|aunt|cousin|girlfriend|boyfriend|boss|colleague|"
        r"neighbou?r|friend|grand\w+|client|patient|tenant|landlord|nephew|niece|flatmate|roommate|ex|kids?|children|"
        r"in-laws|manager|employee|applicant|child|faith|religion|sexuality|orientation|ethnicity)|"
        r"(?:the|this|our)\s(?:applicant|claimant|client|patient|employee|candidate|tenant|defendant|witness|student|"
        r"asylum\sseeker|volunteer|resident|deceased|suspect|customer|member)|mr\.?\s\w+|mrs\.?\s\w+|ms\.?\s[a-z]{3,}|miss\s\w+|dr\.?\s[a-z]{3,}",
        r"am|is|was|are|were|been|be|became|become|converted|convert|identif\w+|came\sout|coming\sout|come\sout|"
        r"raised|"
        r"brought\sup|grew\sup|votes?|voted|voting|joined|join|belongs?|supports?|supported|campaign\w*|member|"
        r"membership|active|activist|has|have|practis\w+|practic\w+|paid|pays?|dues|canvass\w*|donat\w+|elected|rep|"
        r"steward|fled|attends?|prays?|worship\w*|observes?|keeps?|lives?|married|left|card|described?s?|says?",
        r"i'm|i've|he's|she's|we're|they're|as\sa",
    ),
    Saying(
        r"ich|er|sie|wir|mir|mich|ihm|(?:mein|sein|ihr|unser)(?:e|en|em|er|es)?\s\w+|(?:der|die|dem|"
        r"den)\s(?:patient\w*|"
        r"klient\w*|mandant\w*|antragsteller\w*|bewerber\w*|mitarbeiter\w*|kolleg\w*|mieter\w*|kund\w+|zeug\w+|"
        r"beschuldigt\w+|angeklagt\w+|schuler\w*|versicherte\w*)|herr|herrn|frau|hr\.|fr\.",
        r"bin|ist|war|sind|wurde|worden|gehor\w+|wahl\w+|gewahlt|habe|hat|hatte|mitglied\w*|trat|tritt|"
        r"konvertiert\w*|"
        r"bekenn\w+|eingetreten|ausgetreten|geoutet|outete|fuhlt|lebt|stammt|aktiv|engagier\w+|organisiert|"
        r"glaubig\w*|"
        r"parteimitglied\w*|parteibuch|getauft|erzogen|aufgewachsen|zahl\w+|beitrag\w*|betriebsrat\w*|kandidier\w+|"
        r"spende\w*|definier\w+|bezeichne\w+|identifizier\w+|geht|besucht",
        r"(?!)",
    ),
    Saying(
        r"je|j|il|elle|nous|moi|lui|(?:mon|ma|mes|son|sa|ses|notre)\s\w+|m\.|mme|mlle|monsieur|madame|(?:le|"
        r"la)\s(?:patiente?|cliente?|"
        r"candidate?|salariee?|demandeu\w+|locataire|collegue|voisine?|temoin|prevenue?|requerante?)|"
        r"l'(?:interessee?|employee?|assuree?|eleve|adherente?)",
        r"suis|est|sont|ai|as|etait|etais|vote\w*|votons|milit\w+|appart\w+|adher\w+|convert\w+|membre\w*|sommes|"
        r"encart\w+|"
        r"syndiqu\w+|pratiqu\w+|croyant\w*|assum\w+|coming|elu\w*|delegue\w*|cotis\w+|issu\w*|origine\w*|elev\w+|"
        r"se\sdit|"
        r"sympathisant\w*|cart\w+|inscrit\w*|soutien\w*|sens",
        r"j'ai|j'suis",
    ),
    Saying(
        r"yo|el\s(?=es|era|fue|vota|milita|gana|cobra|estuvo|tiene)|ella|nosotr\w+|(?:mi|mis|su|sus|"
        r"nuestr\w+)\s\w+|sr|sra|don|dona|(?:el|la)\s(?:paciente|cliente|clienta|"
        r"solicitante|trabajador\w*|emplead\w|candidat\w|inquilin\w|vecin\w|acusad\w|alumn\w|testigo|companer\w)",
        r"soy|es|era|fue|fui|sido|vot\w+|milit\w+|perten\w+|afiliad\w|miembro|convirti\w+|convert\w+|estuvo|"
        r"practicante\w*|"
        r"creyente\w*|simpatiz\w+|carne\w*|carnet|declar\w+|identific\w+|siente|origen|familia|delegad\w|cotiz\w+|"
        r"criad\w+|bautizad\w+|armario|considera|etnia|ascendencia|raices|salio|reconoc\w+|llev\w+",
        r"soy|somos|fui|he\ssido|vote\sa|vote\spor|voto\sa|milito|pertenezco|estoy\safiliad\w|me\sconverti|"
        r"provengo|vengo\sde",
    ),
    Saying(
        r"io|lui|lei|noi|(?:mio|mia|miei|mie|suo|sua|nostro|nostra)\s\w+|sig|signor\w*|dott\w*|(?:il|"
        r"la)\s(?:paziente|cliente|"
        r"richiedente|dipendente|collega|candidat\w|inquilin\w|lavoratore|lavoratrice|teste|imputat\w)|"
        r"l'(?:imputat\w|interessat\w|assistit\w|alunn\w)",
        r"sono|e|era|stat[oa]|vot\w+|iscritt\w|membro|convertit\w|apparten\w+|ha|ho|tesser\w+|milit\w+|praticante\w*|"
        r"credente\w*|simpatizz\w+|dichiar\w+|origin\w+|delegat\w|cresciut\w|famiglia|battezzat\w|aderit\w|aderisc\w|"
        r"definisc\w+|sente|etnia|si\sdice|apertamente|elett\w",
        r"sono\sstat[oa]|sono\sun\w?|sono\siscritt\w|sono\smembro|ho\svotato|mi\ssono|appartengo|sono|voto|milito",
    ),
    Saying(
        r"eu|ele|ela|(?:meu|minha|meus|seu|sua|nosso|nossa)\s\w+|sr|sra|dona|(?:o|a)\s(?:paciente|cliente|requerente|"
        r"trabalhador\w*|funcionari\w|candidat\w|inquilin\w|vizinh\w|colega|arguid\w|alun\w|testemunha|reu|re)",
        r"sou|e|era|fui|foi|vot\w+|filiad\w|membro|pertenc\w+|convert\w+|tem|milit\w+|praticante\w*|crente\w*|"
        r"simpatiz\w+|"
        r"sindicalizad\w|declar\w+|assumi\w*|identific\w+|origem|familia|delegad\w|socio|socia|frequent\w+|batizad\w|"
        r"criad\w|considera|etnia|descend\w+|inscrit\w|dirigente",
        r"sou|somos|fui|votei|voto|pertenco|milito|me\sconverti|converti-me",
    ),
    Saying(
        r"ik|hij|zij|ze|wij|mij|hem|haar|(?:mijn|zijn|haar|ons|onze)\s\w+|dhr|mevr|meneer|mevrouw|"
        r"de\s(?:patient\w*|client\w*|"
        r"aanvrager|medewerker|sollicitant|collega|verdachte|huurder|buurman|buurvrouw|leerling|getuige)",
        r"ben|is|was|zijn|stem|stemt|stemde|gestemd|heb|heeft|werd|word|behoor\w*|lid|lidmaatschap|bekeerd\w*|"
        r"praktiser\w+|gelovig\w*|aangesloten|actief|kast|afkomst|opgevoed|gedoopt|kaderlid|contributie|komt|voelt|"
        r"noemt|aanhanger|geworden|opgegroeid|gezin|bekend",
        r"(?!)",
    ),
    Saying(
        r"on\s(?=jest|był|ma|został|głosuje|zarabia)|ona|mnie|jego|jej|(?:moj|moja|moje|moi|mojego|mojej|nasz|nasza)\s\w+|pan|pani|pana|panu|pacjent\w*|"
        r"klient\w*|"
        r"wnioskodawc\w+|pracowni\w+|kandydat\w*|swiad\w+|oskarzon\w+|lokator\w*|sasiad\w*|kolega|kolezanka|"
        r"koleżanka|maz|"
        r"mąż|zona|żona|syn|corka|córka|brat|siostra|ojciec|matka|mama|tata",
        r"jest|sa|są|był\w*|został\w*|głosował\w*|głosuje|nalezy|należy|ma|członk\w+|przeszedł|przeszła|wierzac\w+|"
        r"wierząc\w+|praktykuj\w+|działa\w*|wychowan\w+|ochrzczon\w+|pochodz\w+|zapisał\w*|wstapił\w*|wstąpił\w*|"
        r"popiera|"
        r"identyfikuj\w+|okresla|określa|legitymacj\w+|składk\w+|deklaruj\w+|nawrocił\w*|nawrócił\w*|ujawnił\w*",
        r"jestem|byłem|byłam|głosowałem|głosowałam|głosuję|głosuje\sna|naleze|należę|nalezę|zostałem|zostałam|"
        r"wierzę|pochodzę|"
        r"wstąpiłem|wstąpiłam|wstapiłem|wstapiłam|działam|popieram",
    ),
    Saying(
        r"jag|han|hon|hen|vi|mig|honom|henne|(?:min|mitt|mina|hans|hennes)\s\w+|herr|fru|(?:patient|klient|sokande|"
        r"kund|"
        r"elev|kolleg|granne|hyresgast|vittne)\w*",
        r"ar|var|rostar|rostade|rostat|tillhor|har|blev|blivit|medlem\w*|konverterade|konverterat|troende|"
        r"praktiserande|aktiv|"
        r"uppvuxen|uppvaxt|dopt|harkomst|bakgrund|kom\sut|oppet|engager\w+|ansluten|organiserad|ombud|identifierar|"
        r"definierar|gick\smed|gatt\smed|kommer|familj",
        r"(?!)",
    ),
    Saying(
        r"ben|biz|bizim|benim|onun|annem|babam|esim|kocam|karım|karim|oglum|kızım|kizim|kardesim|abim|ablam|ailem|"
        r"ailemiz|"
        r"arkadasım|arkadasim|dedem|ninem|amcam|dayım|teyzem|halam|kuzenim|komsum|mudurum|patronum|sevgilim|"
        r"nisanlım|kendisi|hasta|basvuran|basvuru\ssahibi|calısan|muvekkil\w*|sanık|bey|hanım|bay|bayan|"
        r"[a-zı]{3,}(?:ım|im|um)",
        r"\w*(?:y[ıiu]m|y[ıiu]z|d[ıi]r|dur|olarak|oldu|oldum|olan|uye\w*|oy|verdi\w*|veriyor\w*|inan\w+|mensup\w*|"
        r"mensub\w*|"
        r"kokenli\w*|asıllı\w*|kayıtlı\w*|gecti\w*|gectim|acıldı\w*|acıldım|temsilci\w*|ailesi\w*|aileden|"
        r"taraftarı\w*|"
        r"destekl\w+|secmen\w*|buyudu\w*|buyudum)",
        r"\w+(?:y[ıiu]m|uyesiyim|kokenliyim)",
    ),
    Saying(
        r"я|он|она|мы|мне|меня|у\sнего|у\sнее|у\sнеё|(?:мой|моя|мои|моего|моей|его|ее|её|наш|наша)\s\w+|муж|жена|"
        r"сын|дочь|"
        r"брат|сестра|мама|папа|отец|мать|бабушка|дедушка|пациент\w*|клиент\w*|заявител\w+|сотрудни\w+|кандидат\w*|"
        r"сосед\w*|коллега|подсудим\w+|свидетель|господин|госпожа",
        r"\N{BULLET}",
        r"(?!)",
    ),
)
PERSON_SIGNS = phrases(
    """
    私, 僕, 俺, 彼, 母, 父, 妻, 夫, 息子, 娘, 兄, 姉, 弟, 妹, 祖父, 祖母, 家族, うち, 本人, さん, 患者, 申請者,
    社員, 我, 他, 她, 本人, 我妈, 我爸, 妈, 爸,
    老公, 老婆, 丈夫, 妻子, 儿子, 女儿, 哥, 姐, 弟, 妹, 爷爷, 奶奶, 先生, 女士, 同事, 患者, 申请人, 员工, 客户,
    저는, 저도, 저희, 제가, 제 , 나는, 난 , 내 ,
    그는, 그녀, 우리, 어머니, 아버지, 남편, 아내, 엄마, 아빠, 아들, 딸, 형, 누나, 언니, 오빠, 동생, 할머니,
    할아버지, 씨, 님, 환자, 신청인, 직원, मैं, वह, वे , उसे, उन्हें, मुझे, उनका, उनकी, उनके,
    वो, मेरे, मेरी, मेरा, उसने, उसके, उसकी, उन्होंने, हम , हमारे, हमारा, पति, पत्नी, माँ, मां, पिता, बेटा, बेटी, भाई, बहन, मरीज़,
    मरीज, श्री, श्रीमती, आवेदक,
    أنا, انا, هو , هي , نحن, زوجي, زوجتي, أمي, امي, أبي, ابي, والدي, والدتي, ابني, ابنتي, أخي, اخي, أختي, اختي, جدي,
    جدتي, عائلتي, عائلته, عائلتها,
    صديقي, صديقتي, زميلي, زميلتي, جاري, جارتي, المريض, المريضة, السيد, السيدة, الموظف, الموظفة, العميل, المتقدم,
    مقدم الطلب, إنني, إنه, إنها, أنه, أنها,
    أنتمي, ينتمي, تنتمي, أعتنق, يعتنق, تعتنق, اعتنق, انضم, انضممت, صوت, أصوت, كان , كانت , كنت , عضو, عضوة, ديانتي,
    ديني, شقيقي, شقيقتي, عمي, خالي, مديري
    """
)
VERB_SIGNS = phrases(
    """
    です, でした, ます, ました, だ, である, なので, だった, 信者, 会員, 党員, 組合員, 入って, 所属, 加入, 投票,
    支持, 信仰, 是, 信, 加入, 入党, 投, 支持, 会员, 成员,
    皈依, 出柜, 出身, 입니다, 이에요, 예요, 이다, 이고, 이며, 였, 습니다, 믿, 다니, 가입, 투표, 지지, 활동, 신자,
    당원, 조합원, 출신, 이야, 인데, 라서, 해요, 다., हूँ, हूं,
    है, हैं, था, थी, सदस्य, वोट, मानते, मानता, मानती, समर्थक, जुड़े
    """
)
# Of many, or of nobody: statistics, institutions, news.
GENERAL = (
    r"\b(?:percent|per\scent|prozent|pourcent|por\sciento|por\scento|procent|yuzde|процент\w*|study|studies|survey|"
    r"poll|"
    r"polls|researchers?|majority|mehrheit|majorite|mayoria|maggioranza|maioria|wiekszosc|government|regierung|"
    r"gouvernement|gobierno|governo|regering|rzad|hukumet|правительств\w*|century|jahrhundert|siecle|siglo|secolo|"
    r"seculo|eeuw|wieku|parliament|bundestag|senate|minister\w*|president|prasident\w*|presidente|spokes\w+|"
    r"sprecher\w*|analysts?|novel|film|movie|character|history|geschichte|histoire|historia|storia)\b|%"
)
MANY_SIGNS = tuple(
    phrases(
        """
        调查, 研究, 人口, 世纪, 歴史, 調査, 世紀, 人口, 통계, 조사에, 역사, प्रतिशत,
        सर्वेक्षण, इतिहास, نسبة, دراسة, القرن, تاريخ
        """
    )
)

# Words for belonging, beside which a name counts that is also a plain word.
MEMBER = (
    r"(?:member|membership|rep|steward|card|mitglied\w*|parteimitglied|parteibuch|beigetreten|eingetreten|"
    r"organisiert|membre|"
    r"adherent\w*|encarte\w*|milit\w+|syndique\w*|miembro|afiliad\w|carne|carnet|iscritt\w|tesser\w*|membro|"
    r"filiad\w|socio|"
    r"socia|delegad\w|delegat\w|delegue\w*|lid|lidmaatschap|kaderlid|członk\w+|nalez\w*|należ\w*|medlem\w*|ombud|"
    r"ansluten|"
    r"votes?|voted|voting|vote|votei|votou|votato|voto|vota|votó|stem|stemt|stemde|gestemd|wahle|wahlt|gewahlt|"
    r"wahlte|"
    r"głosował\w*|głosuj\w+|rostar|rostade|rostat|uyesi\w*|uye\w*|oy|joined|registered|член\w*|состо\w+|голосу\w+|"
    r"голосовал\w*|"
    r"вступил\w*|kandidier\w+|lifelong|elected)"
)
