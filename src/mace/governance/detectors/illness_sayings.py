"""How each language says that somebody has an illness. Tables and nothing else; `illness.py` reads them.

A person counts beside a verb of the same language only. Verbs stand in the forms that are said of one person: what
`people have` or `patients suffer from` is knowledge. Lower case as views hold texts; a trailing `*` lets a word go on.
"""

from typing import NamedTuple

from mace.governance.detectors.findings import phrases


class Sick(NamedTuple):
    """One language: persons, verbs beside a person, and phrases that hold the person themselves."""

    persons: list[str]
    verbs: list[str]
    own: list[str]


_TITLES = "mr, mrs, ms, mx, herr, frau, hr, sra, sr, sig, mme, dhr, mevr, pan, pani, bay, bayan, shri, smt, "

SICK = (
    Sick(  # English
        phrases(
            _TITLES
            + """i, i'm, i've, he, she, he's, she's, we, my, his, her, our, mum, mom, dad, me, him, grandma, grandpa"""
        ),
        phrases(
            """
            have, has, had, got, suffer, suffers, suffered, suffering, diagnosed, diagnosis, remission, died,
            dying, battl*, fought, fighting, survived, survivor, treated, treatment for, living with, lives with,
            living, recover*, beat, relapse*, medication, meds, history of, positive, takes, taking, hospitali*,
            admitted, developed, passed away, lost, managing, manages, struggl*, confirmed, came back, flare*,
            on leave, off sick, signed off, is, was, am, been, undergo*, caught, contracted, getting treated,
            pills, chemo,
            """
        ),
        phrases("i'm, i've been, he's, she's, been diagnosed with, was diagnosed with"),
    ),
    Sick(  # German
        phrases(
            _TITLES
            + """
            ich, mir, mich, er, sie, ihm, ihr, wir, uns, mein*, sein*, ihre*, oma, opa, mama, papa, tochter, sohn,
            schwester, bruder, mutter, vater, tante, onkel, nachbar*, kolleg*
            """
        ),
        phrases(
            """
            habe, hab, hat, hatte, leide, leidet, litt, erkrankt, erkrankte, diagnose, diagnostiziert,
            festgestellt, behandelt, behandlung, bin, ist, war, starb, gestorben, verstorben, bekam, bekommen,
            kampfe, kampft, wegen, uberlebt, operiert, krankgeschrieben, nehme, nimmt, wurde, plagt, quale, qualt,
            lebe mit, lebt mit, besiegt, remission, verloren, entwickelt, zugezogen, ins krankenhaus, lebe, lebt,
            betroffen, bekampft, behandle, vorbei, durchgemacht
            """
        ),
        phrases("leide unter, leide an, bei mir wurde, ich habe, bin an, ich lebe, krankgeschrieben wegen, bin wegen"),
    ),
    Sick(  # French
        phrases(
            _TITLES
            + """
            je, j'ai, j'avais, j'etais, m'a, il, elle, on m'a, on lui, lui, mon, ma, mes, sa, moi, me, nous, maman,
            papa, mamie, papi, fils, fille, mari, femme, frere, soeur, pere, mere, grand-mere, grand-pere, tante, oncle
            """
        ),
        phrases(
            """
            ai, a, avait, souffre, souffrait, souffert, atteint*, diagnostiqu*, suis, est, etait, mort, morte,
            decede*, traite, traitee, traitement, subi, porteur, porteuse, lutte, soigne*, suivi, suivie, opere,
            operee, vis avec, vit avec, remission, guéri*, gueri*, decele, se bat, fait de, presente, arret,
            me bats, vis, vit, detecte, developpe, arret maladie, hospitalise*, victime
            """
        ),
        phrases("je souffre, j'ai, je suis, m'a diagnostiqu*, m'a decele, m'a detecte"),
    ),
    Sick(  # Spanish
        phrases(
            _TITLES
            + """
            yo, me, mi, mis, ella, le, nos, papa, hijo, hija, hermano, hermana, esposa, esposo,
            marido, mujer, abuela, abuelo, madre, padre, tia, tio, suegra, suegro, cunada, cunado
            """
        ),
        phrases(
            """
            tengo, tiene, tenia, tuvo, tuve, padezco, padece, padecia, sufro, sufre, sufria, sufrio, diagnostic*,
            soy, es, murio, fallecio, tratamiento, lucha, luchando, vivo con, vive con, sobrevivi*, enfermo de,
            enferma de, detectaron, detecto, operaron, convive, baja, remision, supero, recay*, ingresad*,
            medica*, toma
            """
        ),
        phrases(
            """
            padezco, sufro, me diagnosticaron, me detectaron, me operaron, tengo, tuve, convivo con, vivo con, le
            diagnosticaron, le detectaron, soy, estoy, me han diagnosticado, le han diagnosticado, lucho
            """.replace("\n", " ")
        ),
    ),
    Sick(  # Italian
        phrases(
            _TITLES
            + """
            io, mi, mio, mia, miei, suo, sua, lui, lei, gli, noi, mamma, papa, figlio, figlia, fratello, sorella,
            moglie, marito, nonna, nonno, madre, padre, zia, zio, suocera, suocero
            """
        ),
        phrases(
            """
            ho, ha, aveva, avuto, avuta, soffro, soffre, soffriva, diagnosticat*, sono, e, affett*, morto, morta,
            malato, malata, cura, guarit*, trovato, trovata, scoperto, operat*, ricoverat*, convive, convivo,
            lotta, combatte, terapia, remissione, da anni, prende, prendo, in malattia, in cura, scoperto di avere,
            hanno trovato, colpit*, mancat*
            """
        ),
        phrases(
            """
            soffro, mi hanno diagnosticato, mi hanno trovato, gli hanno diagnosticato, le hanno diagnosticato, ho,
            ho avuto, sono affett*, sono malat*, sono celiac*, sono diabetic*, sono epilettic*, sono sieroposit*,
            sono autistic*, sono in cura, sono in malattia, ho scoperto, convivo, combatto, lotto, prendo
            """.replace("\n", " ")
        ),
    ),
    Sick(  # Portuguese
        phrases(
            _TITLES
            + """
            eu, me, meu, minha, meus, ele, ela, lhe, nosso, nossa, seu, sua, mae, pai, filho, filha, irmao, irma,
            marido, esposa, mulher, avo, tia, tio, sogra, sogro, vovo
            """
        ),
        phrases(
            """
            tenho, tem, tinha, teve, tive, sofro, sofre, sofria, diagnosticad*, diagnostico de, sou, e, era,
            morreu, faleceu, trato, trata, tratamento, convivo, convive, fiz, descobri, descobriu, descobriram,
            operad*, internad*, remissao, vive com, vivo com, luta, enfrenta, licenca, faco, faz, vivo, vive,
            perdeu, afastad*, toma, tomo
            """
        ),
        phrases(
            """
            sofro, tenho, tive, fui diagnosticad*, fui operad*, descobri, convivo, sou, estou, fiz, vivo com,
            faco tratamento, faco acompanhamento, trato, luto, foi diagnosticad*, tomo
            """.replace("\n", " ")
        ),
    ),
    Sick(  # Dutch
        phrases(
            _TITLES
            + """
            ik, mij, me, mijn, hij, zij, ze, zijn, haar, hem, ons, onze, we, moeder, vader, zoon, dochter, broer, zus,
            vrouw, man, oma, opa, tante, oom, mama, papa
            """
        ),
        phrases(
            """
            heb, heeft, had, lijd, lijdt, leed, vastgesteld, gediagnos*, ben, is, was, overleden, gestorven,
            behandeld, behandeling, kreeg, gekregen, herstel*, vecht, geopereerd, overwonnen, last van,
            opgenomen, ziek, ontdekt, remissie, zit thuis, thuis met, slik, slikt, leef met, leeft met, ziektewet
            """
        ),
        phrases("lijd aan, ik heb, bij mij is"),
    ),
    Sick(  # Polish
        phrases(
            _TITLES
            + """
            ja, mnie, mi, mu, on, ona, jej, jego, moj, moja, moje, mojej, mojego, mojemu, mama, mamy, tata, taty, syn,
            syna, corka, corki, corke, brat, brata, siostra, siostry, zona, zony, maz, meza, babcia, babci, dziadek,
            dziadka, ciocia, wujek, tesciowa, niego, niej, nas, kolega, kolezanka, sasiad*
            """
        ),
        phrases(
            """
            mam, ma, miał, miała, miałem, miałam, choruj*, chory, chora, chorował*, cierpi*, zdiagnoz*, wykryto,
            wykryli, stwierdz*, rozpozna*, jestem, jest, zmarł*, umarł*, lecz*, przeszedł*, przeszła*, walcz*,
            dostał*, zachorował*, remisj*, od lat, po, bierze, biore, operowan*, był, była, zmaga*, pokonał*,
            diagnoz*, trafił*
            """
        ),
        phrases(
            """
            mam, miałem, miałam, cierpie na, jestem po, jestem, lecze sie, zdiagnozowano u, wykryto u, stwierdzono u,
            rozpoznano u, choruje na, przeszedłem, przeszłam, walcze z, biore leki, u pacjent*, zachorowałem,
            zachorowałam, zmagam sie
            """
        ),
    ),
    Sick(  # Swedish
        phrases(
            _TITLES
            + """
            jag, mig, min, mitt, mina, han, hon, hans, hennes, honom, henne, vi, var, mamma, pappa, son, dotter, bror,
            syster, fru, mormor, morfar, farmor, farfar, sambo, moster, faster
            """
        ),
        phrases(
            """
            har, hade, fatt, lider, led, diagnos*, ar, dog, behandlas, behandling, drabba*, insjukn*, gjort,
            gjorde, fick, konstatera*, opererad*, sjukskriven, lever med, tillfriskna*, remission, avled,
            ater, medicin*, upptackt*, besegra*, kampar
            """
        ),
        phrases("lider av, jag har, jag fick, diagnostiserades med, diagnostiserad med, sjukskriven for"),
    ),
    Sick(  # Turkish
        phrases(
            _TITLES
            + """
            ben, bana, bende, benim, annem*, babam*, kızım*, kizim*, oglum*, esim*, kocam*, karım*, kardesim*, ablam*,
            abim*, agabeyim*, dedem*, ninem*, anneannem*, babaannem*, teyzem*, halam*, amcam*, dayım*, hanım*, bey*,
            ona, onun, arkadasım*, komsum*, patronum*
            """
        ),
        phrases(
            """
            var, vardı, teshis*, tanı*, tani*, hasta*, tedavi*, kondu, konuldu, gecir*, yakalan*, oldu*, muzdarip*,
            kullanıyor*, cekiyor*, ogren*, atlat*, yendi*, kaybet*, vefat*, tespit*, cıktı, pozitif, raporlu, ilac*,
            yasıyor*, ameliyat*, mucadele*,
            """
        ),
        phrases(
            """
            hastasıyım, gecirdim, cekiyorum, muzdaribim, tedavi goruyorum, teshisi konuldu, teshisi kondu,
            tanısı konuldu, tanısı kondu, tanısı aldım, teshisi aldım, yakalandım, oldum, yasıyorum,
            tanısı tanısıyla, teshisiyle, hastasıydı, nedeniyle tedavi, mucadele ediyorum, raporluyum, migrenim,
            oldugumu, kullanıyorum, ilac kullan*, gecirdigim, tanısı koydu, teshisi koydu
            """.replace("\n            konuldu", " konuldu")
        ),
    ),
    Sick(  # Russian
        phrases(
            """
            я, мне, меня, у меня, мой, моя, мое, моему, моей, он, она, его, её, ее, ему, ей, у него, у неё, сын*,
            мама, мамы, мать, папа, папы, отец, отца, муж*, жена, жены, дочь, дочери, бабушк*, дедушк*, брат*,
            сестр*
            """
        ),
        phrases(
            """
            болею, болеет, болел*, болен, больна, страда*, диагноз*, поставили, перен*, умер*, лечусь, лечится,
            сделала, был, обнаружили, нашли, выявили, ремисси*, у меня, у него, у неё, у моей, у моего, у мамы,
            у папы, у сына
            """
        ),
        phrases("у меня, болею, страдаю, мне поставили"),
    ),
)

# Phrases that say of one person that they have it, in languages where the verb needs no person beside it.
SUFFERING = phrases(
    """
    combatto, lotto, luto, lucho, zmagam, walcze, walczę, mucadele*, pozitif*, positief, pozytywn*, oldugumu,
    nosiciel*, portador*, portator*, poroni*, perso il, perdi a, perdi o, yaptım, apresenta, presente un,
    presente une, affett*, leczy sie, wykryto, przeszedl, przeszedł, tabletten gegen, nehme, neme, sigue, in cura,
    em tratamento, en tratamiento, en remision, kampfe, kampft, vecht*, ar drabbad, padezco, padece, sufro,
    sufre de, me diagnosticaron, me detectaron, me operaron, tengo, tuve, estoy, tomo, convivo, vivo con, soffro,
    soffre di, ho avuto, mi hanno, prendo, tenho, tive, sofro, estou, fiz, descobri, trato, mialem, miałem, mialam,
    miałam, choruje, choruję, cierpie, cierpię, lecze, leczę, biore, biorę, przeszlam, przeszłam, przeszedlem,
    przeszedłem, zdiagnozowan*, wykryto u, stwierdzono, od lat choruj*, leide, lijd, souffre, hastasıyım,
    hastasiyim, tedavi goruyor*, tedavi gorduk, teshisi, teshis edildi, tanısı, kullanıyorum, gecirdim, gecirdi,
    oldum, yasıyorum, yakalan*, lider av, diagnostiserad*, drabbad*, sjukskriven*, medicinerar, opererad*,
    insjuknade, erkrankt, diagnostiziert, krankgeschrieben, leidet, gelitten, operiert, atteint*, suivi pour,
    traite pour, opere*, vastgesteld, gediagnosticeerd, behandeld voor, geopereerd, 診断, 患って, 患い, 通院, 休職,
    闘病, 発症, 持病, 服用, 入院, にかか, 罹患, 再発, 抱えて, 確诊, 确诊, 患有, 患上, 得了, 查出, 服药, 住院, 复发,
    做过, 진단, 앓고, 앓았, 걸렸, 걸리, 투병, 복용, 입원, 재발, 판정, पीड़ित, ग्रस्त, सर्जरी, पता चला, हो गया,
    soffre, soffriva di, affetto da, affetta da, e affett*, e malat*, e in cura, in terapia per, ricoverato per,
    ricoverata per, operato di, operata di, e stata diagnosticata, e stato diagnosticato, diagnosticato un,
    diagnosticata una, e morto di, e morta di, assume, prende farmaci, in malattia per, a causa di un,
    invalidita per, esenzione per, guarito da, guarita da, ha avuto un, ha la, ha il, ha un, ha l', sofre de,
    sofre com, sofria de, portador de, portadora de, e portador*, tem historico, nasceu com, nacio con, nato con,
    nata con, born with, ar fodd med, tomo remedio, tomo medicacao, toma remedio, tem diagnostico,
    diagnosticado com, diagnosticada com, diagnostico de, em tratamento para, em tratamento de, faz tratamento,
    internado com, internada com, internado por, internada por, operado de, operada de, morreu de, faleceu de,
    afastado por, afastada por, atestado por, licenca por, por causa de, acompanhamento por, toma remedio para,
    toma medicacao para, curado de, curada de, venceu o, vive com, tem, foi diagnosticad*, padece de, sufre,
    diagnosticado de, diagnosticada de, diagnosticado con, diagnosticada con, en tratamiento por,
    en tratamiento para, ingresado por, ingresada por, murio de, fallecio de, de baja por, baja medica por,
    a causa de, toma medicacion para, supero un, supero el, vive con, convive con, tiene, heeft, lijdt aan,
    overleden aan, behandeld wegens, opgenomen met, opgenomen wegens, geopereerd aan, ziekgemeld met,
    ziekgemeld wegens, hersteld van, genezen van, slikt medicijnen, medicatie voor, medicatie tegen,
    kreeg de diagnose, diagnose kreeg, gediagnosticeerd met, choruje na, cierpi na, leczy sie na, leczony na,
    leczona na, zmarł na, zmarła na, przebył, przebyła, zachorował na, zachorowała na, hospitalizowan*, z powodu,
    ze wzgledu na, zwolnienie na, rozpoznano, zdiagnozowano, po przebytym, po przebytej, bierze leki na, har fatt,
    diagnosen, diagnostiserats med, diagnostiserades med, behandlas for, behandlad for, inlagd for, inlagd med,
    opererad for, dog i, avled i, sjukskriven pa grund av, pa grund av, medicin mot, medicinerar mot, insjuknat i,
    insjuknade i, frisk fran, tillfrisknat fran, hastası, hastasıdır, tanısıyla, tanılı, teshisiyle, nedeniyle,
    yuzunden, sebebiyle, tedavisi, tedavisi goruyor*, gecirmis, ameliyatı oldu, yakalandı, cekiyor, muzdarip,
    oykusu, oldugu ogrenildi, kontrolune, ilacı kullan*, raporu, nedeni ile, var
    """
)

# Languages without spaces, or with the verb at the end: signs anywhere in the sentence.
SICK_SIGNS = (
    (  # Japanese
        phrases(
            """
            私, 僕, 俺, 母, 父, 妻, 夫, 息子, 娘, 彼女, 彼は, 彼の, 兄, 姉, 弟, 妹, 祖母, 祖父, わたし, うちの,
            主人, さん, 友人, 同僚, 患者, 上司, 叔父, 叔母, 義母, 義父, 親
            """
        ),
        phrases(
            """
            診断され, 診断を受け, 診断が, と診断, 患って, 患い, かかっ, 罹, 闘病, です, でした, だった, になり,
            なった, になっ, 持って, 抱えて, 発症, 治療, 亡くな, 通院, 休職, 服用, 入院, 手術, 再発, 既往, 見つかり,
            見つかっ, 疑い, があり, 苦しん, 寛解, 持ち
            """
        ),
        phrases(
            """
            と診断され, と診断を受け, を患って, を患い, にかかっ, で通院, で入院, で休職, で闘病, が再発し,
            を発症し, の持病, が持病, で治療中, の治療中, の既往, を抱えてい, が見つかっ, が見つかりまし, が寛解,
            持ちです, 持ちで, で休んで, を治療, 陽性です, があります, を持ってい, と言われ, と告げられ,
            の手術を受け, の治療を受け, で服薬
            """
        ),
    ),
    (  # Chinese
        phrases(
            """
            我, 他, 她, 妈, 爸, 儿子, 女儿, 妻子, 丈夫, 老公, 老婆, 母亲, 父亲, 哥哥, 姐姐, 弟弟, 妹妹, 奶奶, 爷爷,
            外婆, 外公, 姥姥, 先生, 女士, 同事, 朋友, 患者, 患儿, 病人, 本人, 叔叔, 阿姨, 舅舅
            """
        ),
        phrases(
            """
            诊断, 診斷, 患有, 患了, 得了, 确诊, 查出, 有, 是, 因, 治疗, 做过, 患上, 去世, 得过, 住院, 手术, 复发,
            服药, 病史, 吃药, 缓解, 检查出, 请假, 被查
            """
        ),
        phrases(
            """
            被诊断, 被确诊, 确诊为, 确诊了, 查出, 患有, 患上了, 得了, 得过, 做过, 因患, 因为得, 既往, 病史, 复发了,
            正在治疗, 我有, 我是, 我的, 我因, 我从小, 请假, 手术后, 去世, 住院治疗, 在吃药
            """
        ),
    ),
    (  # Korean
        phrases(
            """
            저는, 저의, 제가, 제, 나는, 내가, 내, 우리, 어머니, 아버지, 엄마, 아빠, 아들, 딸, 남편, 아내, 형, 누나,
            언니, 오빠, 동생, 그는, 그녀, 할머니, 할아버지, 환자, 친구, 동료, 씨, 님, 이모, 삼촌, 고모, 장모,
            시어머니, 부모님, 본인
            """
        ),
        phrases(
            """
            진단, 걸리, 걸렸, 앓, 있어, 있습, 있는, 있다, 입니다, 이에요, 예요, 받았, 받고, 투병, 치료, 했어, 했습,
            돌아가, 복용, 수술, 입원, 재발, 판정, 병력, 생겼, 고생, 휴직, 완치, 때문, 시달
            """
        ),
        phrases(
            """
            진단을 받, 진단받, 을 앓고, 를 앓고, 을 앓았, 를 앓았, 에 걸렸, 에 걸려, 으로 투병, 로 투병, 판정을 받,
            치료를 받고, 치료 중, 으로 입원, 로 입원, 이 재발, 가 재발, 약을 먹, 휴직, 때문에 병가, 때문에 휴,
            이 있어요, 가 있어요, 있어요, 이 있습니다, 가 있습니다, 양성입니다, 으로 고생, 로 고생, 약을 복용,
            수술을 받
            """
        ),
    ),
    (  # Hindi
        phrases(
            """
            मैं, मुझे, मेरे, मेरी, मेरा, हमारे, मां, माँ, पिता, उन्हें, उसे, उसको, वह, बेटे, बेटी, पत्नी, पति, भाई,
            बहन, मरीज, रोगी, उनकी, उनके, उनको, इन्हें, दादी, दादा, नानी, नाना, चाचा, मौसी, दोस्त, श्री, श्रीमती,
            जी, मम्मी, पापा, ससुर, सास
            """
        ),
        phrases(
            """
            है, हूं, हूँ, हुआ, हुई, पीड़ित, बीमारी, निदान, इलाज, था, थी, दवा, सर्जरी, पता चला, ग्रस्त, चल रहा,
            मृत्यु, निकला, निकली, जूझ, रहा, रही, गया, गई, लेता, लेती
            """
        ),
        phrases(
            """
            से पीड़ित, का निदान, का इलाज, से ग्रस्त, की बीमारी है, की वजह से, के कारण, हूँ, हूं, हो गया है,
            हो गई है, होने का पता, से जूझ, की दवा, का पता चला
            """
        ),
    ),
)

# An owner right before a condition: my migraine, meine Depression, ma dépression.
OWNERS = (
    r"\b(?:my|his|her|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|mi|mis|mio|mia|mie|miei|suo|meu|minha|meus|minhas|mijn|"
    r"moj\w{0,4}|swoj\w{0,4}|jego|jej|min|mitt|mina|hans|hennes|benim|"
    r"мо[йяёею]\w{0,3})\s(?:[^\W\d_]{2,18}(?:\s|'s\s)){0,2}\Z"
    r"|(?:私|僕|母|父|妻|夫|息子|娘|彼女?|祖母|祖父|さん|患者|兄|姉|弟|妹)の\Z|(?:我|他|她|我妈|我爸|妈妈|爸爸)的?\Z"
    r"|(?:제|내|저의|우리|어머니의?|아버지의?|남편의?|아내의?)\s?\Z|(?:मेरी|मेरा|मेरे|उनकी|उनका|उसकी|उसका)\s(?:\w+\s)?\Z"
)
# Who is spoken of in the notes of a practice.
PATIENT = (
    r"(?:\A|[.:;\n|]\s{0,2})(?:the\s|der\s|die\s|le\s|la\s|el\s|il\s|o\s|a\s|l')?(?:patient|pt|pat|paciente|paziente|pacjent|"
    r"pacjentka|patientin|patiente|patienten|hasta|пациент\w*|client|klient\w*)\b(?!s)"
    r"|\b(?:u\spacjent\w+|bij\spatient|bei\s(?:dem\s|der\s)?patient\w*|this\spatient|"
    r"[0-9]{1,2}\s?(?:yo|y/o|-year-old|jahrige\w?))\b"
    r"|患者|환자는|환자가|मरीज"
)
# Signs of a clinical note: they say that a condition is somebody's.
CLINICAL = (
    r"\b(?:i\.v\.m\.?|pga\.?|wg\.|t\.g\.v\.|atestado|laudo|sjukintyg|verwijzing|remiss|krankmeldung|referto|dx|dg|diag|hx|"
    r"pmh|pmhx|h/o|s/p|c/o|befund|anamnese|anamnesi|anamnez\w*|anamnes|antecedents?|antecedentes|"
    r"icd|cie-?10|cim-?10|z\.\s?n\.|st\.\s?n\.|v\.\s?a\.|zn\.|wywiad|epikryza|rozpoznanie|"
    r"entlass\w+|motif|ek hastalık\w*|"
    r"comorbid\w*|comorbilid\w*|comorbidit\w*)\b|診断名?[:：]|既往歴|诊断[:：]|既往史|진단명|निदान:"
)
# Words that belong to the name of a condition, before it and after it.
_PARTS = (
    "breast|lung|colon|prostate|ovarian|skin|brain|liver|pancreatic|cervical|thyroid|bladder|kidney|stomach|bone|meme|akciger|"
    "akciğer|prostat|pankreas|mide|bagırsak|kolon|rahim|kan|karaciger|bobrek|kalp|seker"
)
BEFORE_CONDITION = (
    rf"(?:\b(?:{_PARTS}|severe|mild|moderate|chronic|acute|multiple|multipl|multipel|deep|vein|hodgkin|non-hodgkin|major|"
    r"early-onset|recurrent|metastatic|generali[sz]ed|clinical|gestational|ulcerative|rheumatoid|atrial|congestive|cystic|"
    r"type\s[12]|typ\s[12]|stage\s[1-4iv]{1,3}|schwere[rns]?|leichte[rns]?|akute[rns]?|chronische[rns]?|arterielle[rns]?|"
    r"metastasierte[rns]?|rheumatoide[rns]?|morbus|maladie\sde(?:\sla)?|maladie|trouble|troubles|trastorno|disturbo|"
    r"disturbi|transtorno|zaburzeni[ae]|rak|raka|rakiem|rakowi|morbo\sdi|mal\sdi|mal\sde|enfermedad\sde(?:l)?|malattia\sdi|"
    r"doenca\sde|choroba|chorobe|choroby|ziekte\svan|sindrome\sde|sindrome\sdi|syndrome\sde|nosicielem|przewlekł\w+|ostr\w+|"
    r"ciezk\w+|niewydolno\w+|kronisk\w?|akut|svar|grav|kronik|akut|agır|cancer\sde|cancro\sal|tumore\sal|manique|хроническ\w+|"
    r"сахарн\w+|остр\w+|рассеянн\w+|टाइप\s[12]|क्रोनिक|स्तन|फेफड़ों\sके|अग्नाशय\sके|मल्टीपल|उच्च|हाई|만성|급성|제?[12]형|중증)\s"
    r"|(?:慢性|急性|重度|中度|轻度|軽度|[一二12]型|晚期|早期|多发性|多発性|原发性|転移性|進行性|末期|初期|本态性|本態性)){1,3}\Z"
)
AFTER_CONDITION = (
    r"(?:['’]s)?(?:[\s\-](?:(?:typ|type|tipo|typu|di\stipo|de\stipo|de\stype|tip)\s?[12i]{1,2}|[a-e](?![\w'’])|disorder|disease|"
    r"syndrome|episode|mellitus|failure|infection|positive?|positivo|positiva|pozitif|positief|pozytywn\w*|spectrum|ovary\ssyndrome|sjukdom|lateral\w?|amiotrofic\w|amyotroph\w+|"
    r"multipl\w*|multipel|bipolar\w*|renal\w?|renale|arterial\w*|arterios\w|cronic\w|chroniqu\w|chronic|cronica|bilateral\w?|"
    r"espontane\w|spontan\w+|generali[sz]\w+|agud\w|aigue?|acut\w|grave|severe?|severa?|reumatoid\w|rhumatoide|maniac\w|"
    r"bacterian\w|sistemic\w|systemique|ischemi\w+|isquemic\w+|cardiac\w|cardiaque|hepatic\w|hepatique|pulmonar\w?|"
    r"pulmonaire|polmonar\w|metastatic\w|ostr\w|przewlekł\w+|tetnicz\w+|rozsian\w+|płuc|piersi|trzustki|prostaty|jelita|nerek|serca|"
    r"watroby|lekow\w+|afektywn\w+|typu\s[12]|bozuklug\w*|yetmezlig\w*|hastalıg\w*|krizi|kanseri|atak|"
    r"(?:de|del|du|des|de\sla|de\sl'|della|dello|do|da|van|of|d'|al|alla|ai|ao|na|no|au|aux|alle|dei|en\sel|en\sla|a\sla|w)"
    r"(?:\s|(?<='))(?!(?:quando|cuando|quand|quase|piccol\w|nina|nino|crianca|los|las|les|mes|meu|mi|mon|meine|years|anos|ans|anni|lat)\b)[^\W\d_]{3,14}|अटैक|रोग|पॉजिटिव|की\sसमस्या|이상|스펙트럼|장애|양성|증후군))"
    r"{0,3}|(?:阳性|陽性|症|病|スペクトラム症)?"
)
