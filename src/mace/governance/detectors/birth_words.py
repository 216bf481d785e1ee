"""Words for being born and names of months, in the larger languages. Tables and nothing else.

Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on.
"""

from mace.governance.detectors.findings import phrases, words

BIRTH_WORDS = phrases(
    """
    vino al mundo, vine al mundo, d.t., d. tarihi, d.tarihi, veio ao mundo, venuto al mondo, venuta al mondo,
    przyszedł na swiat, przyszła na swiat, kom till varlden, dunyaya gel*, 일생, 월생, born, dob, d.o.b,
    date of birth, birth date, birthdate, birthday, bday, b-day, birth, born on, came into the world, geboren*,
    geburtsdatum, geburtstag*, geb, geb., gebdatum, geb.-datum, geburtsdat*, zur welt, naissance, ne le, nee le,
    nes le, est ne, suis ne, suis nee, est nee, anniversaire, nacimiento, naci, nacio, nacido, nacida, nacimos,
    f. nac, f. nacimiento, fec. nac, cumpleanos, cumplo, nascita, nato, nata, nati, compleanno, nascimento, nasci,
    nasceu, nascido, nascida, aniversario, dn, d.n, geboortedatum, geboorte*, verjaardag, jarig, urodz*, ur.,
    data ur, dnia urodz*, fodd, fodelse*, fodelsedag*, fodt, født, fodsels*, fødsels*, fodselsdag, fødselsdag,
    syntynyt, syntyma*, synt., narozen*, nar., datum narozeni, narodil*, datum narodenia, szulet*, szul., nascut*,
    nascuta, nastere*, dogum*, dogdu*, dogdum, doğum*, doğdu*, родил*, рожден*, д.р, др, роден*, народи*, народж*,
    γεννηθ*, γεννησ*, ημερομηνια γεννησης, 生年月日, 誕生日, 生まれ, うまれ, 生れ, 出生, 生日, 生于, 誕生,
    생년월일, 생일, 일 생, 생입니다, 년생, 日生, 태어, 출생, 생년, เกิด, ngay sinh, ngày sinh, sinh ngay,
    sinh ngày, lahir, tanggal lahir, tgl lahir, जन्म, पैदा, जन्मतिथि, जन्मदिन, تاريخ الميلاد, مولود, ولدت, נולד,
    תאריך לידה
    """
)

BIRTH_FIELDS = words(
    r"""
    dob date_?of_?birth birth_?date birth_?day birthday birth born born_?on geburtsdatum geburtstag geboren(?:_?am)?
    geb date_?de_?naissance naissance ne_?le fecha_?(?:de_?)?nac(?:imiento)? f_?nac nacimiento cumpleanos
    data_?di_?nascita nascita nato_?il data_?(?:de_?)?nascimento nascimento geboortedatum data_?urodzenia urodzony
    fodelsedatum fodelsedag fodselsdato syntymaaika dogum_?tarihi datum_?narozeni szuletesi_?(?:ido|datum) जन्म bday
    生年月日 出生日期 生日 생년월일 дата_рождения
    """
)

MONTHS = frozenset(
    words(
        """
        january february march april may june july august september october november december jan feb mar apr jun jul
        aug sep sept oct nov dec januar jänner janner februar feber marz maerz mai juni juli oktober dezember okt dez
        mrz janvier fevrier mars avril juin juillet aout septembre octobre novembre decembre janv fevr fev avr juil
        enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene abr
        ago dic gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre gen mag giu lug set sett ott
        janeiro fevereiro marco maio junho julho setembro outubro novembro dezembro out januari februari maart mei
        augustus mrt stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia września pazdziernika
        października listopada grudnia styczen luty marzec kwiecien czerwiec lipiec sierpien wrzesien pazdziernik
        listopad grudzien sty lut kwi cze lip sie wrz paz paź lis gru augusti maj marts tammikuuta helmikuuta
        maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
        ledna unora brezna dubna kvetna cervna cervence srpna rijna listopadu prosince januára februara aprila juna
        jula septembra oktobra novembra decembra majus junius julius szeptember ianuarie februarie martie aprilie
        iunie iulie septembrie octombrie noiembrie decembrie ocak subat şubat mart nisan mayis mayıs haziran temmuz
        agustos ağustos eylul eylül ekim kasim kasım aralik aralık января февраля марта апреля мая июня июля августа
        сентября октября ноября декабря янв фев апр авг сент окт ноя дек січня лютого березня квітня травня червня
        липня серпня вересня жовтня листопада грудня ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου
        αυγουστου σεπτεμβριου οκτωβριου νοεμβριου δεκεμβριου januari februari maret april mei juni juli agustus
        september oktober november desember जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
        """
    )
)
