"""Words that lead to a telephone number, and words by which a person speaks. Tables and nothing else.

Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on.
"""

from mace.governance.detectors.findings import phrases, words

PHONE_WORDS = phrases(
    """
    phones, telephon*, telef*, tel., ph, whats app, wa, viber, signal, telegram, facetime, imessage, landline,
    hotline, helpline, voicemail, pager, extension, desk, switchboard, callback, call back, call, calling, called,
    text, txt, ring, reach, sms to, answering at, messages to, registered, contact, contacts, my cell, cell no,
    mob no, mobile no, number is, number's, my digits, digits, anrufen, ruf, rufe, ruft, angerufen, anruf,
    erreichbar, erreichen, erreichst, telefonisch, festnetz*, mobilfunk*, handynr*, telefonnr*, tel-nr*, telnr*,
    durchwahl, diensthandy*, privathandy*, kontaktnummer*, notfallnummer*, schreib mir, meine nummer, nummer ist,
    nummer lautet, meld dich, melde dich, simst, appelle, appelez, appeler, rappelle*, rappelez, joindre, joignable,
    contacter, portable, mon numero, mon tel, numero de portable, fixe, contactez*, llama, llamar, llame, llamame,
    llamadme, llamarme, mi numero, numero de movil, numero de celular, contactarme, escribeme, marcame, marcar,
    localizarme, cel, movil, fijo, chiama, chiamami, chiamare, chiamarmi, chiamatemi, richiam*, contattami,
    contattarmi, mio numero, cell., recapito*, scrivimi, fisso, liga, ligar, ligue, me liga, me ligue, ligam,
    telemovel*, meu numero, contato, contacto, zap, fone, chama, chamar, fala comigo, bel, bellen, bereikbaar,
    bereiken, mijn nummer, telefoonnr*, mobiele*, 06-nummer, 06 nummer, app me, appen, belt, gebeld, zadzwon*,
    dzwon*, zadzwoń*, dzwoń*, komork*, komórk*, kom., moj numer, mój numer, numer tel, nr tel*, kontaktowy*,
    oddzwon*, oddzwoń*, stacjonarny*, napisz do mnie, telefonu, ring mig, ringa*, mobilnr*, mobiltelefon*,
    mitt nummer, mobilen, telefonnummer*, nas pa, na mig, smsa, hor av, mobilnummer*, ring meg, mit nummer, ring til,
    ringe, soita, numeroni, puh, puhelimeni, kannykka*, zavolej*, volejte, moje cislo, cislo, ara, arayin,
    arayabilir*, beni ara, numaram, numarasi, cep, ceptel, gsm, telefonu*, ulasabilir*, позвони*, звони*, набери*,
    мой номер, номер, моб, мобильн*, сотов*, перезвони*, связ*, ватсап*, вайбер*, пиши*, дзвони*, зателефон*,
    номер телефону, τηλεφων*, κινητο*, καλεσ*, 电话, 電話, 手机, 手機, 联系, 聯繫, 聯絡, 致电, 拨打, 微信, 座机,
    号码, 打给, 打我, 携帯, ケータイ, 連絡, 番号, かけて, ご連絡, お電話, TEL, 전화, 연락, 휴대폰, 핸드폰, 번호, 폰,
    문자, 휴대전화, โทร, เบอร์, มือถือ, điện thoại, số điện, sdt, sđt, goi, gọi, फोन, फ़ोन, संपर्क, व्हाट्सएप,
    व्हाट्सऐप, मेरा नंबर, लाइन, मोबाइल, नंबर, कॉल, هاتف, جوال, رقم, اتصل, موبايل, טלפון, נייד, hubungi, telpon*,
    nomor, hp, nomer
    """
)

# A person speaks: enough for a number that some country really gives out, too little for any other.
SPEAKERS = phrases(
    """
    मुझे, मेरा, मेरे, मेरी, पर, नंबर, ci, ti, te, toi, dich, du, tu, vi, ven, you, u, see you, later, there, here,
    chiedi, dimmi, ask, for, la, il, me, my, mine, us, him, her, hmu, hit me up, ping, dm, buzz, mum, mom, dad,
    urgent, asap, mich, mir, mein*, uns, ihn, unter, moi, mon, ma, nous, mi, mio, mia, meu, minha, mim, mij, mijn,
    mnie, moj*, mój, moje, mig, min, mitt, mitte, meg, minun, bana, beni, benim, мне, мой, моя, меня, я, 我, 我的,
    私, 僕, 俺, 나, 내, 제, 저, je, ich, yo, eu, io, ik, ja, jag, numero, nummer, number, numer, contact, office,
    home, work, buro, oficina, bureau, casa, kantoor, biuro, kontor
    """
)

PHONE_FIELDS = words(
    r"""
    phones? phone_?\w{0,10} \w{0,12}phone tel telephone mobile cell fax msisdn whats_?app telefon\w{0,8}
    telef\w{0,8} handy\w{0,8} movil celular cellulare mobil\w{0,8} rufnummer portable telemovel telefoon\w{0,8}
    contact_?(?:no|number) cep contacto? landline numero_?tel home_?phone work_?phone emergency_?contact
    """
)
