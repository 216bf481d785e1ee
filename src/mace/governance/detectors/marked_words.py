"""Words that lead to numbers of accounts, records, insurances and documents, beside those of `labelled_words.py`.

Tables and nothing else. Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on. A word
with a `?` before it is one of everyday: it counts where the pattern of its row is found near (`policy` beside health).
"""

from typing import NamedTuple

from mace.governance.detectors.findings import phrases


class Marked(NamedTuple):
    """One type of number, the words that lead to it, the least digits, and what must stand near (a pattern)."""

    type: str
    words: list[str]
    digits: int
    near: str | None = None


# Banks by name, in the larger countries: a number right after one is an account.
BANKS = phrases(
    """
    barclays, natwest, lloyds, halifax, santander, monzo, starling bank, nationwide bs, tsb, hsbc,
    chase checking, chase savings, wells fargo, bank of america, citibank, capital one, ally bank, td bank, rbc,
    scotiabank, cibc, commbank, westpac, anz, nab account, kiwibank, sparkasse*, volksbank*, raiffeisen*,
    commerzbank, deutsche bank, postbank, comdirect, ing-diba, dkb, hypovereinsbank, postfinance, ubs,
    bnp paribas, credit agricole, societe generale, la banque postale, caisse d'epargne, credit mutuel,
    boursorama, bbva, caixabank, bankinter, banco sabadell, banorte, banamex, bancolombia, davivienda,
    banco de chile, bancoestado, banco de credito, interbank, banco galicia, banco nacion, brou, unicredit,
    intesa sanpaolo, banco bpm, poste italiane, bancoposta, bper, fineco, itau, bradesco, nubank,
    caixa economica, banco do brasil, banco inter, c6 bank, millennium bcp, novo banco, montepio, rabobank,
    abn amro, ing bank, triodos, bunq, kbc, belfius, argenta, pko bp, pekao, mbank, mbanku,
    santander bank polska, ing bank slaski, alior*, millennium bank, handelsbanken, nordea, swedbank, seb,
    lansforsakringar bank, skandiabanken, danske bank, dnb, ziraat*, garanti*, akbank, yapı kredi, is bankası,
    vakıfbank*, halkbank*, qnb*, denizbank*, sberbank, сбербанк*, тинькофф, втб, hdfc*, sbi, icici*, pnb,
    axis bank, canara bank, kotak*, bank of baroda, एसबीआई, एचडीएफसी, आईसीआईसीआई,
    पीएनबी, केनरा बैंक, बैंक ऑफ बड़ौदा, 三菱ufj*, 三井住友*, みずほ*, りそな*,
    楽天銀行, 住信sbi*, paypay銀行, ゆうちょ*, 工商银行, 建设银行, 农业银行, 中国银行, 招商银行, 交通银行, 工行,
    建行, 农行, 招行, 邮储*, 台灣銀行, 國泰世華, 중국은행, 국민은행, 신한은행, 우리은행, 하나은행, 농협*,
    기업은행, 카카오뱅크, 토스뱅크, 케이뱅크, 수협, 신협, 새마을금고, 우체국
    """
)

_BANK_NEAR = (
    r"\b(?:banks?|banking|banka\w*|bankas\w*|bancaire|bancari\w|banque|banco|banca|banku|bankow\w+|banken|bankens|"
    r"iban|swift|"
    r"bic|sort|clearing|giro|konto\w*|compte|cuenta|conto|conta|rekening\w*|rachun\w+|hesab\w*|hesap\w*|account|"
    r"transfer|"
    r"payment|payroll|deposit|virement|transferencia|bonifico|deposit\w+|overmak\w+|przelew\w*|utbetal\w+|ing|chase|"
    r"dkb|n26|"
    r"revolut|boursorama|santander|bbva|unicredit|intesa|itau|bradesco|nubank|rabobank|abn|mbank|pko|nordea|"
    r"swedbank|seb|"
    r"garanti|ziraat|akbank|yapı kredi|hdfc|sbi|icici|paypal|wise)\b|बैंक|खात|銀行|口座|银行|账户|은행|계좌|뱅크|"
    r"банк|счет"
)
MEDICAL_NEAR = (
    r"\b(?:patient\w*|pacient\w*|pazient\w*|pacjent\w*|hospital\w*|hospitais|clinic\w*|klinik\w*|clinique|clinica|"
    r"klinie\w*|"
    r"doctor\w*|dr|arzt\w*|praxis|medecin\w*|medic\w+|medisch\w*|hôpital|hopital|chu|ospedale|ziekenhuis\w*|szpital\w*|"
    r"przychodni\w*|sjukhus\w*|vardcentral\w*|vårdcentral\w*|lakar\w*|hastane\w*|doktor\w*|poliklinik\w*|radiolog\w*|"
    r"surgery|scan|mri|lab|labor\w*|biopsy|ward|nurse|gp|health|sante|salud|saude|salute|gesundheit\w*|zdrow\w+|"
    r"saglık\w*|"
    r"recovery|admitted|admission|discharge\w*)\b|अस्पताल|मरीज|रोगी|डॉक्टर|病院|患者|医院|醫院|病人|병원|환자|"
    r"больниц|пациент"
)
_HEALTH_NEAR = (
    MEDICAL_NEAR
    + r"|\b(?:insur\w+|kranken\w*|versicher\w+|mutuelle\w*|assurance|sanitari\w+|sanita|seguro\w*|plano|plan|"
    r"zorg\w*|ubezpiecz\w*|"
    r"forsakring\w*|sjuk\w*|sigorta\w*|medicare|medicaid|dental|unimed|amil|aok|tk|barmer|dak|mgen|nfz|sgk)\b"
    r"|बीमा|स्वास्थ्य|मेडिकल|हेल्थ|保険|健康|医保|医疗|醫療|健保|보험|건강|의료|медиц|омс|дмс"
)
_TRAVEL_NEAR = (
    r"\b(?:nummer|nr|number|reise\w*|ausweis\w*|resa|resor|travel|visa|visum|border|flight|flug\w*|flyg\w*)\b"
)
_DRIVING_NEAR = r"\b(?:driv\w+|dmv|dvla|car|rental|conduc\w+|conducao|vehic\w+)\b|गाड़ी|ड्राइ|वाहन"
_HEALTH_INSURER = phrases(
    """
    blue cross*, bluecross*, blue shield*, aetna, cigna, humana, kaiser permanente, unitedhealth*,
    united healthcare, anthem, bupa, axa health, vitality health, medibank, aok*, barmer, techniker*, dak*, ikk*,
    bkk*, knappschaft, hanse merkur, debeka, css versicherung, helsana, swica, mgen, harmonie mutuelle,
    malakoff*, cpam, sanitas, adeslas, asisa, imss, issste, osde, pami, fonasa, isapre*, eps sura, nueva eps,
    essalud, unimed, amil, hapvida, sulamerica*, bradesco saude, notredame intermedica, adse, medis, multicare,
    zilveren kruis, vgz, menzis, cz zorgverzek*, achmea, ditzo, nfz, luxmed, medicover, pzu zdrowie, obra social,
    ssn asl, unisalute, previmedical, bagkur, bag-kur, emekli sandıgı, टीके,
    आयुष्मान*, स्टार हेल्थ, star health, ecard, e-card
    """.replace("\n    zorgverzek", " zorgverzek")
)

TABLE = (
    Marked(
        "bank_account",
        phrases(
            """
            a/c, ac no, acc no, ?acc., acct, account #, account nr, ?account code, ?checking, ?direct deposit,
            transit number*, institution number*, bsb number*, sort-code*, sortcode*, ifsc code*, micr*, bban*,
            basic bank account*, bank acc*, ?bank no, giro account*, deposit account*, current acct*,
            payee account*, girokonto*, sparkonto*, gehaltskonto*, postkonto*, postcheckkonto*, ?postscheck*,
            tagesgeld*, festgeldkonto*, ?depot*, depotnummer*, kontoverbindung*, verrechnungskonto*,
            referenzkonto*, bank-konto*, compte courant, compte cheque*, compte epargne, compte joint, ?livret a,
            ?livret, code banque, code guichet, cle rib, numero de rib, ?virement sur, cuenta de ahorro*,
            cuenta corriente*, cuenta de nomina, cuenta nomina, cuenta vista, cuenta rut, cta*, cta.,
            nro de cuenta, numero cuenta, no. de cuenta, n.º de cuenta, ?cci, clabe interbancaria, cuenta clabe,
            cvu, caja de ahorro*, cuenta bancaria*, ?transferir a, ?deposita a, ?depositar en, ?ingresar en,
            ?ingresen*, transfiereme*, conto bancario, conto numero, numero conto, numero del conto,
            libretto postale, conto postale, conto corrente postale, ?ccp, ?libretto*, ?bonifico su*,
            ?bonifico sul, ?accredit*, numero da conta, conta n, conta salario, conta poupanca, conta a ordem,
            ?deposita*, ?depositar na, ?transferir para, girorekening*, spaarrekening*, betaalrekening*,
            gironummer*, ?giro, ?overmaken*, ?overboeken*, ?storten*, ?rek., rekening*, rachunek*, rachunku,
            konto bankowe, konta bankowego, konto osobiste, ?przelew*, ?wplata*, ?wpłata*, lonekonto*,
            personkonto*, transaktionskonto*, bankkonto*, ?kontot, ?clearing*, clearingnr*, bg-nummer*,
            pg-nummer*, ?bg, bankgironr*, plusgironr*, ?swisha, ?vadesiz*, ?vadeli*, maas hesab*, banka hesab*,
            hesap no, hesap numaram*, ?hesabım*, hesabına*, hesabima*, ?hesaba*, musteri hesab*, sube kodu*,
            şube kodu*, şube no, 普通預金*, 当座預金*, 振込口座*, ?振込先*, 口座*, ?貯金*, 店番*, 支店コード*,
            储蓄卡*, 工资卡*, 存折*, 农行卡*, 工行卡*, 建行卡*, 招行卡*, 借记卡*, 储蓄账户*, 银行卡*, 收款账号*,
            收款卡*, ?转账到*, ?打到*, ?汇到*, 帳戶*, 戶口號碼*, 銀行帳*, 郵局帳號*, ?局號*, 통장번호*,
            입금계좌*, 급여계좌*, 가상계좌*, ?입금해*, ?송금*, ?예금주*, सेविंग*,
            बचत खाता*, चालू खाता*, अकाउंट नंबर*, एकाउंट*, खाते*, खाता क्रमांक,
            आईएफएससी*, ?पासबुक*, एनईएफटी*, лицев* счет*, карточн* счет*, бик,
            номер карты, корсчет*, р/счет*
            """
        ),
        5,
        _BANK_NEAR,
    ),
    Marked("bank_account", BANKS, 6),
    Marked(
        "bank_account",
        phrases(
            """
            ?customer number*, ?customer no*, ?customer id*, ?client number*, ?client id*, ?client no*,
            ?account id*, ?kundennummer*, ?kunden-nr*, ?kundennr*, ?kunden-id*, ?numero client*,
            ?numero de client*, ?identifiant client*, ?n° client, ?identifiant*, ?numero de cliente*,
            ?id de cliente*, ?codigo de cliente*, ?codice cliente*, ?numero cliente*, ?numero do cliente*,
            ?codigo do cliente*, ?klantnummer*, ?klantnr*, ?numer klienta*, ?nr klienta*,
            ?identyfikator klienta*, ?kundnummer*, ?kundnr*, ?musteri numara*, ?musteri no*, ?お客様番号*,
            ?顧客番号*, ?客户号*, ?客户编号*, ?고객번호*, ?고객 번호*,
            ?ग्राहक संख्या, ?ग्राहक आईडी, ?कस्टमर आईडी*, ?номер клиента
            """
        ),
        5,
        _BANK_NEAR,
    ),
    Marked(
        "medical_record",
        phrases(
            """
            patient's record*, patient record*, patient file*, patients id*, patient code*, patient nr*,
            patient ref*, patient #, hospital record*, ?hospital ref*, hospital nr*, hospital id*,
            ?clinic number*, ?clinic no*, ?clinic id*, medical number*, medical file*, medical id*,
            medical chart*, ?chart is, ?chart, ?emr*, ?ehr*, uhid*, ?accession*, ?specimen id*, ?lab id*,
            ?lab no*, nhs no*, nhs number*, nhs #, nhs, chi number*, hospital registration*, ?admission no*,
            ?admission number*, ?episode number*, ?encounter*, ?visit number*, rx number*, prescription number*,
            ?rx no*, ?rx #, ?referral number*, ?case file*, dental record*, patienten id*, pat-nr*, pat.-nr*,
            patnr*, patienten-nummer*, aufnahme-nr*, fall-id*, behandlungsfall*, befundnummer*, befund-nr*,
            rezeptnummer*, uberweisungsnummer*, labornummer*, ?akten-nr*, ?impfausweis*, numero de patient*,
            numero patient*, n° patient*, identifiant patient*, dossier patient*, dossier hospitalier*,
            dossier medical*, ?dossier n°, ?iep, ?nda, ipp*, ?ins, numero de sejour*, numero d'hospitalisation,
            numero d'admission, ?historia*, historial medico, historial clinico, ?numero de expediente,
            expediente medico, n.º de historia, nº de historia, ?hc, numero de episodio, ?numero de registro,
            ficha clinica*, ficha medica*, folio medico, ?numero de ingreso, codice assistito, codice paziente*,
            id paziente, numero nosologico*, nosologico*, ?cartella*, ?cartella n, numero cartella,
            numero di ricovero, scheda sanitaria, ?numero pratica, codice nre, ?nre, ?ricetta*,
            numero de prontuario, registro hospitalar, numero do paciente*, numero de paciente*,
            codigo do paciente, ficha do paciente, ?processo n, processo hospitalar, ?numero de processo*,
            ?atendimento*, numero do atendimento, ?guia n, numero de episodio*, ?matricula*, patientnummer*,
            patient nummer*, ?dossier nummer*, mdn, ?epd*, ziekenhuisnummer*, ponskaart*, opnamenummer*,
            behandelnummer*, receptnummer*, verwijsnummer*, numer pacjenta*, nr pacjenta*, id pacjenta*,
            numer kartoteki*, nr kartoteki*, ?kartoteki*, karta choroby, ksiega glowna*, ksiega głowna*,
            ksiegi głownej*, ?ksieg*, numer historii*, nr historii*, numer skierowania*, e-recepta*,
            kod e-recepty, numer recepty*, numer przyjecia*, patientnr*, patientens nummer*, patient-nr*,
            journal-id*, ?journal nr*, ?journalnr*, ?journal*, remissnummer*, remiss-id*, ?remiss*,
            vardtillfalle*, provnummer*, ?recept*, besoksnummer*, hasta numara*, hasta no*, hasta dosya*,
            hasta kimlik*, hasta id*, ?dosya numara*, ?dosya no*, protokol numara*, protokol no*, ?barkod no*,
            ?rapor no*, ?rapor numara*, ?basvuru no*, ?basvuru numara*, recete no*, ?kayıt numara*, 診察券*,
            診察番号*, 患者コード*, 患者番号*, 患者id*, 患者 id*, ?登録番号*, 処方箋番号*, 入院番号*, ?受付番号*,
            カルテno*, 病历*, 病案号*, 病歷號*, 門診號*, 门诊号*, 住院号*, 住院编号*, 就诊卡*, 就诊号*,
            就诊编号*, 诊疗卡*, 诊疗号*, ?检查号*, 检验号*, 处方号*, 挂号单*, ?登记号*, 體檢編號*, ?등록번호*,
            환자 등록번호*, 환자등록번호*, 환자 번호*, 환자번호*, 병록번호*, 진료카드*, 진찰권*, 차트 번호*,
            챠트번호*, 처방전 번호*, 처방전번호*, ?접수번호*, ?검사번호*, 입원 번호*,
            ?मरीज़*, मरीज आईडी*, मरीज नंबर*, ?मरीज का*, पेशेंट*, यूएचआईडी*, ओपीडी*,
            आईपीडी*, ?पर्ची*, ?अस्पताल का*, मेडिकल रिकॉर्ड*, ?रजिस्ट्रेशन नंबर*,
            रोगी क्रमांक*, एमआरएन*, ?केस फाइल*, ?केस नंबर*, भर्ती संख्या*,
            ?номер карт*, амбулаторн* карт*, номер пациента*, номер истории*
            """
        ),
        4,
        MEDICAL_NEAR,
    ),
    Marked(
        "health_insurance",
        phrases(
            """
            ?insurance is, ?insurance nr*, ?insurance reference*, ?insurance policy*, insured id*,
            insured number*, policyholder id*, ?policy id*, ?policy #, ?policy, ?subscriber number*,
            ?subscriber no*, ?subscriber #, ?subscriber, ?member #, ?member no*, ?membership number*, ?group #,
            ?group no*, medicare no*, medicare card*, medicare id*, medicaid no*, medicaid id*, health number*,
            healthcare number*, ?phn, ahcip, ramq, msp number*, hic number*, ehic*, european health*,
            health fund*, health care card*, health plan*, tricare*, ?va number*, versicherungsnummer*,
            versicherungsnr*, versicherungs-nr*, versicherungskarte*, krankenvers*, krankenversicherungsn*,
            kv-nr*, kvnr*, versicherten-id*, versicherten*, ?versichert*, egk*, gesundheitskart*,
            ?mitgliedsnummer*, ?police*, ?policen-nr*, ?policennummer*, e-card*, ecard*, sozialvers*, mutuelle*,
            ?complementaire*, numero de mutuelle*, carte de mutuelle*, tiers payant, adherent*, n° adherent*,
            numero adherent*, assure*, assuree*, numero d'assure*, numero d'assurance*, assurance maladie*,
            assurance sante*, carte d'assur*, carte europeenne*, securite sociale*, ?immatriculation*,
            numero amo, ?ameli, ?avs, numero avs, niss, numero de afiliacion*, afiliacion*, numero de afiliad*,
            n.º de afiliacion, nº de afiliacion, nuss, ?naf, numero de asegurad*, asegurad*, ?numero de poliza*,
            ?poliza*, obra social*, carnet de obra social, numero de seguro*, seguro social*, seguro de salud*,
            seguro popular, tarjeta sanitaria*, cipa, ?sip, ?cip, tarjeta individual, carne de salud,
            ?prevision*, ?eps, tessera sanitaria*, codice team, ?numero tessera*, ?numero di tessera*,
            tesserino sanitario, polizza sanitaria*, ?numero di polizza*, ?numero polizza*,
            assicurazione sanitaria*, ?assistito*, numero di assistito, numero assistito, numero de utente*,
            numero utente*, utente n, cartao de utente*, n.º de utente, nº de utente, cartao de saude*,
            cartao do plano*, carteira do plano*, carteirinha*, ?carteira*, plano de saude*, numero da carteira*,
            numero do cartao nacional*, cns*, cartao do sus*, ?apolice*, ?numero da apolice*,
            numero de beneficiario*, ?beneficiario*, adse*, seguranca social*, niss*, verzekeringsnummer*,
            ?verzekering*, verzekerdenn*, zorgpolis*, zorgpas*, polisnr*, ?polis*, polisnummer*, relatienr*,
            relatienummer*, ehic-*, uzovi*, kaartnummer zorg*, numer ubezpiecz*, nr ubezpiecz*, ?ubezpieczenia*,
            ?ubezpieczeni*, ?polisy*, ?polisa*, ?nr polisy*, ?numer polisy*, karta ubezp*, karty ubezp*,
            legitymacja ubezp*, ekuz*, nfz*, kart* nfz, forsakringsnr*, ?forsakringsbrev*, ?forsakrings*,
            eu-kort*, eu-kortet*, sjukforsakrings*, europeiskt sjuk*, sigorta no*, sigorta numara*,
            sigorta sicil*, sigortalı*, sgk*, ssk*, bagkur*, ?police no*, ?poliçe no*, ?police numara*,
            ?poliçe numara*, saglık sigorta*, tamamlayıcı*, yesil kart*, ?provizyon*, 保険証番号*, 保険証*,
            記号番号*, 保険者番号*, 被保険者証*, 被保険者*, 国民健康保険*, 国保*, 社会保険*, 介護保険*,
            後期高齢者*, 受給者番号*, ?証券番号*, 保険証券*, 医保号*, 医保卡*, 医保编号*, 医保*, 社保号*,
            社保卡*, 社保编号*, 社会保障号*, ?保单号*, ?保险单*, ?保險單*, ?保单*, 健保卡*, 健保*, 農保*,
            新农合*, 医疗证*, 건강보험*, 건강보험증*, 의료보험*, 의료급여*, ?보험증권*, ?보험 증권*, ?증권번호*,
            보험번호*, 보험 번호*, 피보험자*, 실손보험*, ?가입자번호*, ?보험 가입*,
            आयुष्मान*, आभा*, abha*, हेल्थ इंश्योरेंस*, हेल्थ कार्ड*, मेडिक्लेम*,
            mediclaim*, ?इंश्योरेंस*, ?पॉलिसी नंबर*, ?पॉलिसी संख्या*, बीमा संख्या*,
            बीमा नंबर*, बीमा पॉलिसी*, बीमा क्रमांक*, ईएसआई*, esic*, सीजीएचएस*,
            cghs*, номер полиса*, полиса*, полис омс*, ?страхов*, енп
            """
        ),
        5,
        _HEALTH_NEAR,
    ),
    Marked("health_insurance", _HEALTH_INSURER, 5),
    Marked(
        "passport",
        phrases(
            """
            ?pass, pass nr*, pass-nummer*, passets nummer*, pass number*, pas nr*, travel document*,
            reisedokument*, ?pass hat, document de voyage, titre de voyage, documento di viaggio,
            documento de viaje, libreta de pasaporte, nr paszportu*, numer paszportu*, passinummer*, paspoortnr*,
            umuma mahsus*, パスポートno*, 旅券番号*, 护照号*, 護照號*, 여권 번호*, 여권번호*,
            पासपोर्ट*
            """
        ),
        6,
        _TRAVEL_NEAR,
    ),
    Marked(
        "driver_license",
        phrases(
            """
            driving license*, driver's licence*, drivers permit*, driver id*, dlno*, dl number*, ?dl #, ?cdl,
            dvla*, ?licence no*, ?licence number*, ?license #, ?license no*, ?licence is, ?license is,
            fuhrerscheinn*, fs-nr*, permis b, permis n°, permis n, numero de permis*, numero du permis,
            mon permis*, permis de conduire*, licencia de conduc*, licencia num*, carnet de conduc*, ?carnet n,
            brevete*, patente b, patente di guida*, patente n, mia patente, numero patente, carta de conducao*,
            ?carta n, carteira de motorista*, numero da cnh*, registro da cnh, cnh n, rijbewijs*, rijbewijsnr*,
            nr prawa jazdy*, numer prawa jazdy*, prawo jazdy*, korkort*, korkortsnr*, ehliyet*, surucu belge*,
            免許証*, 運転免許*, 駕照號*, 驾照号*, 驾驶证*, 운전면허*, 면허증*, 면허 번호*,
            ?लाइसेंस*, डीएल*, डीएल नंबर*
            """
        ),
        5,
        _DRIVING_NEAR,
    ),
    Marked(
        "national_id",
        phrases(
            """
            national identity*, identity card*, identity document*, government id*,
            residence permit*, residence card*, green card*, alien number*, social security*,
            soc sec*, ssn, nino, ni number*, ni no*, aufenthaltskarte*, personalausweis*,
            perso, perso-nr*, ausweis*, identitatskarte*, sozialversicherungs*, sv-nummer*, sv nummer*, ahv-*,
            carte nationale*, carte d'identite*, piece d'identite*, titre de sejour*, carte de sejour*,
            numero de secu*, numero secu*, n° secu*, numero de securite*, nir, insee, numero insee*,
            documento de identidad*, documento nacional*, numero de documento, tarjeta de residencia*,
            carnet de identidad*, carne de identidad*, cedula*, clave de elector*, curp*, permiso de residencia*,
            dni*, carta d'identita*, carta di identita*, documento d'identita*,
            documento di identita*, permesso di soggiorno*, cie, bilhete de identidade*,
            documento de identidade*, carteira de identidade*, registro geral*, rg, cartao de cidadao*,
            cartao do cidadao*, cartao cidadao*, autorizacao de residencia*, titulo de eleitor*, pis/pasep,
            identiteitsbewijs*, identiteitskaart*,
            verblijfsdocument*, verblijfsvergunning*, burgerservice*, bsn*, dowod*, dowód*, dowodu*,
            karta pobytu*, karty pobytu*, pesel*, numer pesel*, legitimation*,
            nationellt id*, uppehallskort*, personnummer*, personnr*, samordningsnummer*, nufus cuzdan*, kimlik*,
            kimlik kart*, tc no*, t.c. no*, tc kimlik*, t.c. kimlik*, tckn*, yabancı kimlik*, ikamet izni*,
            снилс*, страховой номер*, удостоверение личности*, удостоверения личности*, вид на жительство*, внж,
            иин, личный номер*, личного номера*, рнокпп, الهوية, الهويه, هوية رقم,
            رقم هوية, هويتي, هويته, هويتها, الرقم القومي, رقم قومي, رقمي القومي,
            رقمه القومي, رقمها القومي, الرقم القومى, الرقم الوطني, رقمي الوطني,
            رقمه الوطني, رقمها الوطني, رقم وطني, الرقم المدني, رقمي المدني,
            رقمه المدني, البطاقة المدنية, السجل المدني, سجل مدني, رقم السجل,
            البطاقة الشخصية, بطاقة شخصية, بطاقة التعريف, بطاقتي الشخصية,
            بطاقته الشخصية, رقم البطاقة, الإقامة, الاقامة, إقامتي, اقامتي, إقامته,
            اقامته, رقم الإقامه, التعريف الوطني, الضمان الاجتماعي, رقم الضمان,
            رقم التأمين الاجتماعي, بطاقة الإقامة, البطاقة الوطنية, بطاقة وطنية,
            マイナンバー*, 個人番号*, 在留カード*, 住民票コード*, 身分証*, 基礎年金番号*, 年金番号*, 年金手帳*,
            身份证*, 身分證*, 居住证*, 居留证*, 居留許可*, 居留證*, 社会保障号*, 统一证号*, 주민등록*, 주민번호*,
            주민 번호*, 주민 등록*, 외국인등록*, 외국인 등록*, 신분증*, आधार*,
            आधार नंबर*, आधार कार्ड*, आधार संख्या*, वोटर*, वोटर आईडी*, मतदाता*,
            पहचान पत्र*, राशन कार्ड*, aadhaar*, aadhar*, voter id*, epic no*,
            ration card*
            """
        ),
        7,
    ),
    Marked(
        "passport",
        phrases(
            """
            passport*, ppt, ppt no*, pp no*, reisepass*, passnummer*, passnr*, pass-nr*, passeport*, pasaporte*,
            passaporto*, passaporte*, paspoort*, paszport*, pass, passet*, pasaport*, паспорт*, загранпаспорт*,
            заграничн* паспорт*, загран*, جواز*, جواز السفر, جواز سفر, جوازي,
            جوازه, جوازها, باسبور*, الباسبور, パスポート*, 旅券*, 护照*, 護照*,
            여권*, पासपोर्ट*
            """.replace(" pass,", "")
        ),
        6,
    ),
    Marked("passport", phrases("?серия, ?серии"), 10, "паспорт|гражданин|выдан|овд|уфмс|мвд"),
    Marked(
        "driver_license",
        phrases(
            """
            driving licen*, driver licen*, drivers licen*, driver's licen*, driver's permit*, learner's permit*,
            learner permit*, provisional licen*, licence number*, license number*, dl, dl no*,             fuhrerschein*, fuehrerschein*, fahrerlaubnis*, fahrausweis*, permis*, permis de conduire*,
            permis conduire*, licencia de conducir*, licencia de manejo*, licencia de conduccion*,
            permiso de conducir*, permiso de conduccion*, permiso de circulacion*, carnet de conducir*,
            carne de conducir*, registro de conducir*, patente*, patente di guida*, patente guida*,
            licenza di guida*, carta de conducao*, titulo de conducao*, carteira de habilitacao*,
            carteira nacional*, cnh*, habilitacao*, rijbewijs*, prawo jazdy*, prawa jazdy*, prawem jazdy*,
            korkort*, korkortsnummer*, ehliyet*, surucu belge*, surucu kart*, водительск*,
            водительское удостоверение*, водительских прав*, вод. удост*, в/у, ву №, ву номер, права №,
            права серии, права номер, права серия, номер прав, رخصة القيادة,
            رخصة قيادة, رخصة السياقة, رخصة سياقة, رخصة السوق, رخصة سوق, رخصتي,
            رخصته, رخصتها, رخصة القياده, رخصة رقم, رقم الرخصة, رقم رخصة, ليسن,
            الليسن, اجازة السوق, إجازة السوق, إجازة سوق, 運転免許*, 免許証*,
            免許番号*, 免許の番号*, 驾驶证*, 驾照*, 駕照*, 駕駛執照*, 驾驶执照*, 운전면허*, 면허증*, 면허번호*,
            면허 번호*, ड्राइविंग लाइसेंस*, डीएल*, लाइसेंस नंबर*, लाइसेंस संख्या*,
            ड्राइविंग*
            """  # noqa: E501
        ),
        6,
    ),
    Marked(
        "medical_record",
        phrases(
            """
            mrn*, medical record*, patient id*, patient identifier*, ur number*, urn,
            hospital number*, hosp no*, hosp. no*, chart no*, chart number*,
            nhs*, медкарт*, медкарта*, медицинск* карт*, медицинская карта*, медицинской карты*,
            номер медкарты*, амбулаторн*, амбулаторная карта*, амбулаторной карты*, карта пациента*,
            карты пациента*, карта №, карты №, история болезни*, истории болезни*, номер пациента*, id пациента*,
            код пациента*, пациент №, пациента №, رقم المريض, رقم مريض, ملف المريض,
            رقم الملف الطبي, الملف الطبي, ملف طبي, ملفي الطبي, ملفه الطبي,
            ملفها الطبي, السجل الطبي, سجل طبي, سجلي الطبي, سجله الطبي, سجلها الطبي,
            السجل الصحي, الرقم الطبي, رقمي الطبي, رقم طبي, معرف المريض,
            هوية المريض, بطاقة المريض, ?رقم الملف, ?ملف رقم, ?رقم ملف, ?الملف رقم,
            الملف الصحي, رقم المراجع, ?رقم الدخول, patientenkennung*,
            patienten-kennung*, pat-id*, pat.-id*, patid*, fallkennung*, krankenblatt*, krankengeschichte*,
            matricule patient*, identifiant permanent*, dossier n, dossier no, numero historia*,
            nro. de historia, num. historia*, nhc*, n.h.c.*, codice sanitario*,
            identificativo paziente*, numero del paziente*,
            registro do paciente*, numero de atendimento*, patientnummer*, patiëntnummer*, patient-id*,
            dossiernummer*, zorgdossier*, medisch dossier*, numer karty*, nr karty*, kartoteka*, nr kartoteki*,
            dokumentacja medyczna*, dokumentacji medycznej*, identyfikator pacjenta*, journalnummer*,
            patient-nummer*, vardnummer*, hasta no*, hasta numara*, hasta kayıt*, hasta kart*, protokol*,
            カルテ*, カルテ番号*, 診療番号*, 診療録*, 患者番号*, 病案*, 病歷*, 病例号*, 就医卡*, 患者编号*,
            患者号*, 病人编号*, 病人号*, 환자 id*, 환자id*, 차트*, 진료번호*, 진료 번호*, 의무기록*,
            मरीज*, मरीज़ आईडी*, मरीज संख्या*, रोगी*, रोगी आईडी*, रोगी संख्या*,
            एमआर नंबर*, मेडिकल फाइल*, फाइल नंबर*, सीआर नंबर*, cr no*, opd no*,
            ipd no*, uhid*
            """
        ),
        4,
        MEDICAL_NEAR + r"|врач|клиник|поликлин|госпитал|مستشفى|مستشفي|عيادة|طبيب|مريض|المركز الصحي|دكتور",
    ),
    Marked(
        "health_insurance",
        phrases(
            """
            insurance id*, insurance number*, insurance no*, insurance card*, member id*, member number*,
            subscriber id*, полис*, полис омс*, полиса омс*, омс*, дмс*, полис дмс*, медицинский полис*,
            медицинского полиса*, страховой полис*, страхового полиса*, медполис*, енп*, страховка №,
            التأمين الصحي, التامين الصحي, تأمين صحي, التأمين الطبي, التامين الطبي,
            تأمين طبي, رقم التأمين, رقم التامين, بطاقة التأمين, بطاقة التامين,
            وثيقة التأمين, بوليصة*, البوليصة, ?رقم العضوية, تأميني*,
            رقم المؤمن عليه, المؤمن له, الضمان الصحي, krankenversichert*,
            versichertennummer*, versicherungsnummer*, krankenkasse*, numero de securite*, numero d'adherent*,
            n° adherent*, numero de afiliado*, afiliado*, numero tessera*, tessera sanitaria*, codice tessera*,
            numero da carteirinha*, numero do sus*, cartao sus*, sus, sns, numero de sns, utente*, numero sns,
            verzekerdenummer*, verzekerden*, zorgverzeker*, zorgpolis*, polisnummer*, numer ubezpieczonego*,
            forsakringsnummer*, forsakringsnr*, sgk no*, sgk sicil*, sigorta*, 保険証*, 被保険者番号*, 保険者*,
            医保卡号*, 医保账号*, 社保卡号*, 医疗保险*, 건강보험증*, 보험증 번호*, 보험증*,
            बीमा*, पॉलिसी*, बीमा पॉलिसी*
            """
        ),
        6,
        _HEALTH_NEAR + r"|здоров|التأمين|تأمين|صحي|طبي|مستشفى|عيادة",
    ),
    Marked(
        "bank_account",
        phrases(
            """
            رقم الحساب, حسابي البنكي, الحساب البنكي, حساب بنكي, رقم حساب,
            حسابي رقم, الحساب رقم, الآيبان, ايبان, آيبان, حسابي في بنك,
            حسابه البنكي, حسابها البنكي, الحساب الجاري, حساب جاري, حساب التوفير,
            номер счета*, номер счёта*, расчетный счет*, расчётный счёт*, р/с, лицевой счет*, лицевой счёт*,
            счет №, счёт №, счет получателя*, счёт получателя*, номер карточного счета*
            """
        ),
        6,
        _BANK_NEAR,
    ),
)

# Words of paying somebody: a long number beside them is where the money goes.
PAYING = phrases(
    """
    खाता*, खाते*, अकाउंट*, पैसे*, 口座*, 계좌*, 账户*, 账号*, cuenta*, cta*, conto,
    conta, compte*, konto*, rekening*, rachun*, hesap*, hesab*, transfer*, wire, wired, wiring, remit*, payout*,
    refund*, reimburse*, pay into, paid into, pay to, direct debit*, standing order*, uberweis*, ueberweis*,
    lastschrift*, dauerauftrag*, ruckerstatt*, auszahl*, einzahl*, virement*, virer, vire, virez, prelevement*,
    rembours*, verser, versez, transferenci*, transferir, transfier*, ingreso*, ingresa*, ingresen, ingresad*,
    deposit*, domicili*, nomina*, reembols*, devolucion*, pago*, alquiler*, giro, bonific*, accredit*, addebit*,
    versament*, versare, versa, stipendio*, rimbors*, deposito*, depositar, transfere*, transferencia*,
    pagamento*, pagar, reembolso*, salario*, overmak*, overboek*, overschrijv*, maak het over, maak over,
    storten, stort, terugbetal*, incasso*, salaris*, przelew*, przelej*, przelac, przelać, wplat*, wpłat*,
    zwrot*, czynsz*, wyplat*, wypłat*, overfor*, insattning*, satt in, sätt in, utbetal*, aterbetal*, autogiro*,
    lonen, havale*, eft, odeme*, iade*, yatır*, gonder*, maas*, kira*, 振込*, 振り込*, 送金*, 入金*, 引き落とし*,
    給与*, 返金*, 转账*, 转到*, 转给*, 汇款*, 汇到*, 打钱*, 打款*, 退款*, 工资*, 付款*, 匯款*, 轉帳*, 송금*,
    입금*, 이체*, 환불*, 급여*, 월급*, ट्रांसफर*, भेज*, एनईएफटी*, neft*, rtgs*,
    imps*, जमा*, वेतन*, पेंशन*, किराया*, रिफंड*, перевод*, перевед*, перечисл*,
    зачисл*
    """
)
