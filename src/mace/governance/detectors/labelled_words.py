"""Words that lead to numbers of documents, records, insurances and accounts, by type. Tables and nothing else.

Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on: compounds (`Reisepassnummer`) and
case endings are found so. The last member of each row is the least number of digits.
"""

from typing import NamedTuple

from mace.governance.detectors.findings import phrases


class Labelled(NamedTuple):
    """One type of number, the words that lead to it, and how many digits it has at least."""

    type: str
    words: list[str]
    digits: int


TABLE = (
    Labelled(
        "passport",
        phrases(
            """
            passport*, reisepass*, passnr*, passnummer*, pass-nr*, passeport*, pasaporte*, passaporto*, passaporte*,
            paspoort*, paszport*, pasaport*, passi*, passet, cestovni pas*, utlevel*, паспорт*, загранпаспорт*,
            διαβατηρι*, 护照*, 護照*, 旅券*, パスポート*, 여권*, पासपोर्ट, paspor, ho chieu, hộ chiếu, جواز
            """
        ),
        5,
    ),
    Labelled(
        "driver_license",
        phrases(
            """
            driver license*, driver licence*, drivers license*, drivers licence*, driver's license*,
            driver's licence*, driving licen*, licence no, license no, driving permit*, dl no, dl #, dl number,
            fuhrerschein*, fahrerlaubnis*, fuehrerschein*, permis de conduire, permis, licencia de conducir,
            licencia de manejo, licencia, carnet de conducir, permiso de conducir, patente di guida, patente,
            carta de conducao, carteira de motorista, carteira de habilitacao, habilitacao, cnh, rijbewijs*,
            korkort*, forerkort*, førerkort*, korekort*, kørekort*, prawo jazdy, prawa jazdy, ajokort*,
            ridicsky prukaz*, jogositvany*, ehliyet*, surucu belgesi*, водительское удостоверен*,
            водительского удостоверен*, водительск*, удостоверен*, права, 驾驶证*, 驾照*, 駕照*, 運転免許*,
            免許証*, 운전면허*, 면허번호*, 면허, dl, licence number*, license number*, 駕駛執照*, 驾驶证号*,
            免許番号*, ड्राइविंग लाइसेंस, लाइसेंस, rijbew*, ridic*
            """
        ),
        4,
    ),
    Labelled(
        "medical_record",
        phrases(
            """
            mrn, medical record*, med rec*, patient id*, patient no*, patient number*, patient file*,
            hospital number*, hospital no*, hospital id*, chart number*, chart no*, chart #, health record*,
            patientennummer*, patientennr*, patienten-nr*, patienten-id*, patienten- id*, patientenakte*,
            krankenakte*, aktenzeichen klinik, fallnummer*, dossier medical, dossier patient, numero de dossier, ipp,
            nip patient, historia clinica, expediente clinico, expediente medico, expediente, nhc,
            numero de paciente, cartella clinica, codice paziente, numero paziente, prontuario*, processo clinico,
            numero do utente, utente, registro do paciente, patientnummer*, patiëntnummer*, patientnr*, patiëntnr*,
            patientennummer, dossiernummer*, epd-nummer*, karta pacjenta, karty pacjenta, nr karty, numer pacjenta,
            kartoteka, historia choroby, historii choroby, journalnummer*, journalnr*, patient-id*, potilasnumero*,
            protokol no, hasta no, hasta numarasi, dosya no, карта пациента, номер карты, медкарт*, медицинск* карт*,
            история болезни, истории болезни, амбулаторн*, 診察券*, カルテ*, 患者番号*, 患者id*, 病历*, 病歷*,
            住院号*, 门诊号*, 就诊卡*, 患者编号*, 환자번호*, 차트번호*, 진료번호*, 의무기록*, मरीज संख्या,
            रोगी संख्या, मरीज आईडी, रोगी आईडी, केस नंबर, पंजीकरण, उपचार संख्या, अस्पताल, case number, admission*,
            fall-nr*, fallnr*, aufnahmenummer*, sejour, numero de historia, episodio, numero de processo,
            opnamenummer*, nr ksiegi, ksiega glowna, 受診番号*, 登録番号*, 就诊号*, 挂号*, 입원번호*, hasta kayit*,
            dosya numara*
            """
        ),
        4,
    ),
    Labelled(
        "health_insurance",
        phrases(
            """
            health insurance*, medical insurance*, insurance number*, insurance no*, insurance id*,
            insurance policy*, insurance member*, insurance card*, member id*, member number*, subscriber id*,
            health plan*, policy number*, policy no*, group number*, medicare*, medicaid*, health card*, ohip,
            krankenversicher*, krankenversicherten*, versichertennummer*, versicherten-nr*, versichertennr*,
            versichertenkarte*, krankenkass*, gesundheitskarte*, kvnr, kv-nummer*, mutuelle*, n° d'adherent,
            numero d'adherent, adherent*, carte vitale, assurance maladie, numero d'assure, cmu, seguro medico,
            tarjeta sanitaria, numero de afiliado, afiliado*, seguridad social, nss, poliza*, cip, tessera sanitaria,
            polizza*, ssn tessera, cartao do sus, cartao sus, cns, convenio*, carteirinha*, plano de saude,
            numero de beneficiario, zorgverzekering*, polisnummer*, zorgpas*, verzekerdennummer*,
            verzekeringsnummer*, relatienummer*, ubezpieczeni*, nr polisy, numer polisy, polis*, ekuz,
            forsakringsnummer*, sjukforsakring*, forsakring*, vakuutus*, sigorta*, sgk no, полис*, омс, дмс, снилс,
            保険証*, 被保険者*, 保険者番号*, 健康保険*, 医保*, 社保卡*, 医疗保险*, 医疗保险卡*, 保险单号*, 건강보험*,
            보험증*, 의료보험*, 보험번호*, स्वास्थ्य बीमा, बीमा, पॉलिसी, आयुष्मान, health id, 保険番号*, 記号番号*,
            保険, 参保*, 社会保障*, 社保*, 보험, 피보험*, kasa, sigorta, sigortal*, sgk, forsakringskass*,
            zorgnummer*, matricule*, securite sociale, sis, cartao nacional, numero de utente, sns, ezg,
            codigo cuenta, tarjeta de salud, tis
            """
        ),
        5,
    ),
    Labelled(
        "bank_account",
        phrases(
            """
            account number*, account no*, acct*, a/c no*, bank account*, checking account*, savings account*,
            current account*, account is, account, konto*, kontonummer*, kontonr*, konto-nr*, kto, kto-nr*, kto.*,
            blz, bankleitzahl*, numero de compte, compte, n° de compte, cuenta, cuenta bancaria, numero de cuenta*,
            cuenta del banco, clabe, cbu, conto, conto corrente, numero di conto, c/c, conta, conta corrente,
            conta poupanca, c/p, conta bancaria, nib, rekening*, rekeningnummer*, bankrekening*, rekeningnr*,
            numer konta, nr konta, konto bankowe, rachun*, numer rachunku, nr rachunku, kontonummer, bankkonto*,
            bankgiro*, plusgiro*, tilinumero*, cislo uctu, bankszamla*, hesap no*, hesap numara*, hesap*,
            номер счета, номер счёта, расчётный счёт, расчетный счет, счет, счёт, р/с, банковск* счет, 口座番号*,
            普通*, 当座*, 口座*, 银行账号*, 银行卡号*, 银行账户*, 账号*, 帐号*, 帳號*, 계좌번호*, 계좌*, 예금*,
            통장*, खाता*, बैंक खाता, खाता संख्या, खाता नंबर, rib, ccc, 账户*, 户口, 卡号*, 開戶, 帐户*, 銀行*,
            银行*, 은행*, sort code*, bsb, ifsc, agencia*, pay into, bank details, bank transfer to, przelej na,
            przelew na, rek.nr*, rek nr*, rek. nr*, rekening nr*, अकाउंट, अकाउंट नंबर, बैंक अकाउंट, एसी नंबर,
            ゆうちょ, 뱅크, 农业银行, 户名, hesab*, bankverbindung, coordonnees bancaires, datos bancarios,
            coordinate bancarie, dados bancarios, bankuppgifter, bankgegevens, banka bilgil*, utbetalning till,
            bizum cuenta, 預金, 振込先, 收款账户, 打款账户, 송금
            """
        ),
        6,
    ),
    Labelled(
        "national_id",
        phrases(
            """
            personalausweis*, ausweisnummer*, ausweisnr*, ausweis-nr*, ausweis*, steuer-id*, steuer-idnr*,
            steueridnr*, steuernr*, steuer-nr*, steueridentifikation*, idnr*, id-nr*, sozialversicherungsn*,
            sv-nummer*, sv-nr*, svnr*, rentenversicherungsn*, rv-nummer*, rvnr*, aufenthaltstitel*, carte d'identite,
            carte nationale d'identite, cni, numero de securite sociale, n° de securite sociale, num secu, n° secu,
            secu, nir, numero fiscal, dni, nie, nif, documento de identidad, documento nacional, cedula*, curp,
            numero de identidad, carta d'identita, codice fiscale, cod. fisc*, c.f., cpf, rg, identidade,
            cartao de cidadao, cartao do cidadao, bsn*, burgerservice*, sofinummer*, id-kaart*, identiteitskaart*,
            rijksregister*, pesel*, dowod*, dowód*, dowodu*, nip, personnummer*, personnr*, persnr*, pers.nr*, pnr,
            p-nr, samordning*, personbetackning*, henkilotunnus*, hetu, cpr*, fodselsnummer*, fødselsnummer*,
            rodne cislo*, obcansk*, szemelyi*, cnp, kimlik*, tckn, t.c., tc no, tc kimlik*, инн, снилс, 身份证*,
            身分證*, マイナンバ*, 個人番号*, 在留カード*, 주민등록*, 주민번호*, 외국인등록*, national insurance*,
            ni number*, ni no*, nino, aadhaar*, aadhar*, pan card*, pan no*, voter id*, national id*, id card no*,
            id card number*, identity card*, identity number*, citizen id*, social insurance*, sin number*, tax id*,
            tax file*, आधार*, पैन*, मतदाता*, पहचान*, steuernummer*, identificat*, id nummer*,
            numero de identificacion, numero d'identification, 身份*, 居民身份*, 身分証*, 주민*, kimligi*, nufus*,
            personal id*, identitet*, legitymacj*, numer identyfikacyjny, id-nummer*
            """
        ),
        5,
    ),
)
