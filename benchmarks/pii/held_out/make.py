"""Build and check the held-out texts.

    python make.py          writes <language>.jsonl and the counts in README.md
    python make.py check    checks the files as they stand

Needs python-stdnum and phonenumbers (to make and to check values). All values
are random and seeded; none was taken from a person.

Templates: templates/<language>.txt, one a line, ``\\n`` is a line break.
A line that begins with "- " holds no personal value.
    <type> <type:variant>   a made value, annotated
    <=type|a|b|c>           one of the given values, annotated
    <~kind> <~|a|b|c>       filler, not annotated
"""

import base64
import binascii
import datetime
import functools
import hashlib
import importlib
import ipaddress
import json
import operator
import random
import re
import string
import sys
from collections import Counter
from pathlib import Path

import phonenumbers
from stdnum import iban as std_iban
from stdnum import luhn

HERE = Path(__file__).parent
LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "ja", "zh", "hi", "ko", "tr"]
TYPES = [
    "phone",
    "email",
    "address",
    "birth_date",
    "national_id",
    "passport",
    "driving_licence",
    "card",
    "iban",
    "bank_account",
    "diagnosis",
    "medical_number",
    "secret",
    "ip_address",
    "mac_address",
    "wallet",
    "biometric",
    "special",
    "url",
]
HOME_COUNTRY = {
    "en": "us",
    "de": "de",
    "fr": "fr",
    "es": "es",
    "it": "it",
    "pt": "br",
    "nl": "nl",
    "pl": "pl",
    "sv": "se",
    "ja": "jp",
    "zh": "cn",
    "hi": "in",
    "ko": "kr",
    "tr": "tr",
}
USES = 2  # of each template
R = random.Random(20261115)

UP, LOW, DIG = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UP + LOW + DIG


def chars(alphabet, n):
    return "".join(R.choice(alphabet) for _ in range(n))


def mask(pattern):
    """# digit, % digit 1-9, @ capital, & capital or digit; the rest stands."""
    table = {"#": DIG, "%": DIG[1:], "@": "ABCDEFGHJKLMNPRSTUVWXYZ", "&": "CFGHJKLMNPRTVWXYZ0123456789"}
    return "".join(R.choice(table[c]) if c in table else c for c in pattern)


def std(name):
    return importlib.import_module("stdnum." + name)


def until(make, valid):
    for _ in range(20000):
        value = make()
        if valid(value):
            return value
    raise ValueError("no valid value found")


# ---------------------------------------------------------------- phone
PHONE = {
    "us": ["(%##) %##-####", "%##-%##-####", "+1 %## %## ####", "+1 (%##) %##-####", "%##.%##.####", "+1%##%######"],
    "gb": ["07%## ######", "07%########", "+44 7%## ######", "020 7### ####", "0161 ### ####", "+44 (0)7%## ######"],
    "au": ["04## ### ###", "+61 4## ### ###"],
    "ca": ["(416) %##-####", "+1 604-%##-####"],
    "ie": ["08# ### ####", "+353 8# ### ####"],
    "de": [
        "015## #######",
        "0170/#######",
        "+49 176 ########",
        "030 %#######",
        "089/%#######",
        "+49 (0)221 %######",
        "0049 171 #######",
        "0151-########",
    ],
    "at": ["+43 664 #######", "0664 ### ## ##"],
    "ch": ["079 ### ## ##", "+41 78 ### ## ##"],
    "fr": [
        "06 ## ## ## ##",
        "06.##.##.##.##",
        "+33 6 ## ## ## ##",
        "07########",
        "01 4# ## ## ##",
        "+33 (0)7 ## ## ## ##",
        "04-72-##-##-##",
    ],
    "es": ["6## ### ###", "6## ## ## ##", "+34 6## ### ###", "91 %## ## ##", "0034 6########", "6########"],
    "mx": ["+52 55 #### ####", "55 %### ####"],
    "it": ["34# #######", "+39 33# ### ####", "32########", "06 %#######", "+39 02 %#######", "347/#######"],
    "br": ["(11) 9####-####", "+55 21 9####-####", "(31) 9 ####-####", "11 9########", "(41) 3###-####"],
    "pt": ["91# ### ###", "+351 93# ### ###", "96#######", "21# ### ###"],
    "nl": ["06-########", "06 #### ####", "+31 6 ########", "020-%######", "06 ## ## ## ##", "+31 (0)6 ## ## ## ##"],
    "be": ["+32 47# ## ## ##", "047#/## ## ##"],
    "pl": ["5## ### ###", "+48 6## ### ###", "6##-###-###", "22 %## ## ##", "7########", "+48 5########"],
    "se": [
        "070-### ## ##",
        "073-### ## ##",
        "+46 70 ### ## ##",
        "076 ### ## ##",
        "08-%## ### ##",
        "+46 (0)73-### ## ##",
    ],
    "jp": ["090-####-####", "080-####-####", "03-%###-####", "+81 90-####-####", "070########", "06-6###-####"],
    "cn": ["13#########", "158 #### ####", "+86 186 #### ####", "177-####-####", "010-8#######", "021-6#######"],
    "tw": ["0912-###-###", "+886 9## ### ###"],
    "in": ["98########", "+91 9#### #####", "+91-88########", "7#### #####", "09#########", "022-2### ####"],
    "kr": ["010-####-####", "+82 10-####-####", "010 #### ####", "02-%##-####", "010########", "031-%##-####"],
    "tr": [
        "053# ### ## ##",
        "+90 54# ### ## ##",
        "0 (532) ### ## ##",
        "0555#######",
        "0212 %## ## ##",
        "+90 (505) ### ## ##",
    ],
}
PHONE_REGIONS = {
    "en": "us gb au ca ie",
    "de": "de at ch",
    "fr": "fr be",
    "es": "es mx",
    "it": "it",
    "pt": "br pt",
    "nl": "nl be",
    "pl": "pl",
    "sv": "se",
    "ja": "jp",
    "zh": "cn tw",
    "hi": "in",
    "ko": "kr",
    "tr": "tr",
}


WIDE = {"jpw": ("jp", 0xFF10), "inh": ("in", 0x966)}  # full-width and Devanagari digits


def phone_ok(value, country):
    text = value.replace("(0)", "")
    if text.startswith("00"):
        text = "+" + text[2:]
    try:
        number = phonenumbers.parse(text, country.upper())
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_valid_number(number)


def phone(lang, country):
    if country in WIDE:
        home, zero = WIDE[country]
        return phone(lang, home).translate({48 + i: zero + i for i in range(10)})
    pattern = R.choice(PHONE[country])
    return until(lambda: mask(pattern), lambda v: phone_ok(v, country))


# ---------------------------------------------------------------- names, email
NAMES = {
    "en": (
        "Grace Megan Olivia Tamika Rachel Priscilla Joan Dana Abigail Keisha",
        "Marcus Owen Tyrone Callum Derek Elliot Raymond Jamal Stuart Wes",
        ("Holloway Pruitt Okafor Whitcombe Delgado Brannigan Ashdown Kowalczyk Fairley Mbeki Thornbury Sandoval"),
    ),
    "de": (
        "Annika Gisela Friederike Leonie Heike Swantje Petra Miriam",
        "Jannik Holger Matthias Uwe Torben Emre Lukas Dieter",
        "Brandmeier Hoffstedt Kruschke Wiesinger Ahrendt Yildirim Pohlmann Steinkamp Zöllner Möbius",
    ),
    "fr": (
        "Camille Élodie Maëlle Solange Nadia Virginie Capucine Mireille",
        "Bastien Thibault Yannick Karim Gérard Loïc Antonin Régis",
        "Lemoigne Charpentier Bellanger Ouedraogo Vasseur Marchetti Pérochon Delattre Gauthier Benhamou",
    ),
    "es": (
        "Rocío Maribel Nuria Inés Lorena Ximena Consuelo Amparo",
        "Íñigo Álvaro Ramiro Gonzalo Joaquín Fermín Nacho Ezequiel",
        "Cifuentes Arrizabalaga Montoya Quesada Villalba Olmedo Peñalver Santacruz Bermúdez Llorente",
    ),
    "it": (
        "Giulia Ornella Ludovica Serena Fiorella Beatrice Donatella Mariella",
        "Tommaso Salvatore Gianluca Edoardo Piero Nicolò Raffaele Ivano",
        "Pellegrino Bonfanti Carrozza Lombardini Scaglione Trevisan Marchesi Zanetti Iannone Ferraris",
    ),
    "pt": (
        "Thaís Luciana Beatriz Jussara Catarina Inês Mafalda Rosângela",
        "Caio Thiago Vinícius Gonçalo Duarte Edson Rui Leandro",
        "Nogueira Vasconcelos Prado Figueiredo Meireles Salgado Queiroz Bragança Furtado Amorim",
    ),
    "nl": (
        "Fleur Marijke Sanne Lotte Anouk Willemijn Femke Truus",
        "Sjoerd Bram Ruben Jeroen Hendrik Teun Maarten Joost",
        "Hoekstra Vermeulen Kuipers Dijkgraaf Brouwer Terpstra Schouten Zwart Peeters Bakhuis",
    ),
    "pl": (
        "Zofia Małgorzata Kinga Agnieszka Weronika Halina Jagoda Urszula",
        "Bartosz Tomasz Zbigniew Kacper Wojciech Mateusz Ryszard Igor",
        "Gałązka Sobczyk Wrona Kubiak Mroczek Banaś Pietrzak Zaręba Kurek Michalik",
    ),
    "sv": (
        "Ebba Linnea Gunilla Astrid Maja Ingegerd Saga Birgitta",
        "Viktor Torbjörn Axel Göran Hampus Lennart Nils Samir",
        "Sjöberg Hedlund Åkesson Norrman Wallin Bergqvist Ekdahl Palm Lindroth Öberg",
    ),
    "ja": ("美咲 千尋 由美子 彩花 真理", "健太 拓海 雄一 浩二 亮", "高橋 松本 石川 藤原 小野寺 村上 西田 岡崎 三浦"),
    "zh": ("秀英 雨桐 晓燕 佳怡 梦琪", "志强 浩然 建国 子轩 文博", "王 李 陈 赵 周 徐 郑 梁 邓 蒋"),
    "hi": (
        "सुनीता प्रिया कविता अनीता मीनाक्षी",
        "राहुल विकास मनोज अर्जुन दीपक",
        "शर्मा वर्मा गुप्ता पाटिल चौहान त्रिपाठी मिश्रा यादव",
    ),
    "ko": ("지은 서연 민정 수빈 혜진", "민준 재현 성호 동욱 태윤", "김 박 최 정 윤 한 조 임"),
    "tr": (
        "Elif Zeynep Gülşen Nurcan Defne Sevgi",
        "Burak Emre Kerem Hüseyin Ozan Serkan",
        "Yıldız Karaca Özdemir Aydoğan Şimşek Polat Korkmaz Ünal",
    ),
    "in": (
        "Sunita Priyanka Kavya Anjali Meenakshi",
        "Rahul Vikas Manoj Arjun Siddharth",
        "Sharma Verma Iyer Patil Chauhan Nair Banerjee Reddy",
    ),
}
ROMAN = {
    "ja": ["mika", "kenta", "yumi", "taro", "haruka", "jun", "rina", "tanaka", "sato", "miura", "okazaki"],
    "zh": ["wei", "lihua", "xiaoming", "chen", "zhou", "tao", "yan", "liu", "fang", "jing"],
    "hi": ["anita", "rahul", "vikram", "pooja", "neha", "suresh", "sharma", "iyer", "nair"],
    "ko": ["minji", "seo", "park", "kim", "jihoon", "sora", "yuna", "choi", "hyun"],
}
MAILHOSTS = {
    "en": "gmail.com outlook.com yahoo.com icloud.com fairleyconsult.com btinternet.com brightharbor.org",
    "de": "web.de gmx.de t-online.de gmail.com steinkamp-bau.de posteo.de",
    "fr": "orange.fr free.fr laposte.net gmail.com cabinet-vasseur.fr wanadoo.fr",
    "es": "gmail.com hotmail.es telefonica.net talleresmontoya.es yahoo.es",
    "it": "libero.it gmail.com alice.it pec.studiobonfanti.it virgilio.it",
    "pt": "uol.com.br gmail.com sapo.pt bol.com.br furtadoadvogados.com.br hotmail.com",
    "nl": "ziggo.nl kpnmail.nl gmail.com xs4all.nl hoekstra-installatie.nl",
    "pl": "wp.pl onet.pl o2.pl gmail.com interia.pl biuro-kubiak.pl",
    "sv": "telia.com gmail.com hotmail.se bredband.net hedlundsbygg.se",
    "ja": "docomo.ne.jp gmail.com yahoo.co.jp softbank.ne.jp kaneda-shoji.co.jp",
    "zh": "qq.com 163.com 126.com sina.com gmail.com huaxing-tech.cn",
    "hi": "gmail.com rediffmail.com yahoo.co.in outlook.com shaktitraders.in",
    "ko": "naver.com daum.net gmail.com hanmail.net daehansoft.co.kr",
    "tr": "hotmail.com gmail.com mynet.com yandex.com.tr karacainsaat.com.tr",
}


def ascii_fold(text):
    import unicodedata

    text = text.replace("ß", "ss").replace("ł", "l").replace("Ł", "L").replace("ı", "i").replace("ø", "o")
    text = unicodedata.normalize("NFKD", text)
    return "".join(c for c in text if c.isascii() and c.isalnum()).lower()


def person(lang):
    women, men, last = (part.split() for part in NAMES[lang])
    return R.choice(women + men), R.choice(last)


def email(lang, variant=None):
    if lang in ("ja", "zh", "hi", "ko"):
        first, last = R.sample(ROMAN[lang], 2)
    else:
        first, last = (ascii_fold(x) for x in person(lang))
    number = str(R.randint(2, 99))
    local = R.choice(
        [
            f"{first}.{last}",
            f"{first[0]}.{last}{number}",
            f"{first}_{last}{number}",
            f"{last}{number}",
            f"{first}{last}",
            f"{first}-{last}",
            f"{first}.{last}+shop",
            f"{first}{R.randint(1960, 2006)}",
        ]
    )
    if lang == "zh" and R.random() < 0.4:
        return mask("%########") + "@qq.com"
    return local + "@" + R.choice(MAILHOSTS[lang].split())


# ---------------------------------------------------------------- address
PLACES = {
    "us": (
        (
            "Maple Avenue|Birchwood Dr|N Jefferson St|Pelican Way|Old Mill Road|W "
            "43rd Street|Cedar Hollow Ln|Sunset Blvd Apt 4B|Larkspur Ct|E Franklin "
            "Ave, Unit 12"
        ),
        (
            "Portland, OR 97214|Austin, TX 78704|Dayton, OH 45402|Tucson, AZ "
            "85719|Madison, WI 53703|Asheville, NC 28801|Albany, NY 12205|Boise, "
            "Idaho 83702"
        ),
    ),
    "gb": (
        "Harcourt Road|Station Street|Elm Grove|The Crescent|Queens Park Avenue|Mill Lane|St Mary's Close",
        (
            "Leeds LS6 2AB|Bristol BS3 4QT|London SE15 3NX|Cardiff CF24 1LR|Norwich "
            "NR2 3DG|Manchester M20 6RT|Edinburgh EH9 1PL"
        ),
    ),
    "au": (
        "Wattle Street|Banksia Parade|Gladstone Rd",
        "Fitzroy VIC 3065|Newtown NSW 2042|West End QLD 4101|Fremantle WA 6160",
    ),
    "ca": (
        "Rideau Terrace|Dundas Street West|Kootenay Ave",
        "Ottawa, ON K1M 2A4|Toronto, ON M6J 1X6|Vancouver, BC V5L 3C2",
    ),
    "de": (
        (
            "Lindenstraße|Am Alten "
            "Markt|Goethestr.|Kastanienallee|Bürgermeister-Smidt-Straße|Mühlenweg|Hinter "
            "den Höfen|Friedrich-Ebert-Platz|Rosengasse"
        ),
        (
            "10435 Berlin|50667 Köln|80331 München|28195 Bremen|04109 Leipzig|99084 "
            "Erfurt|72070 Tübingen|24103 Kiel|66111 Saarbrücken"
        ),
    ),
    "at": ("Mariahilfer Straße|Neubaugasse|Linzer Gasse", "1070 Wien|5020 Salzburg|8010 Graz"),
    "ch": ("Bahnhofstrasse|Seefeldstrasse|Gerbergasse", "8008 Zürich|4051 Basel|3011 Bern"),
    "fr": (
        (
            "rue des Lilas|avenue Jean Jaurès|boulevard Voltaire|impasse du "
            "Moulin|place de la République|chemin des Vignes|allée des "
            "Tilleuls|quai de la Fosse"
        ),
        (
            "75011 Paris|69003 Lyon|44000 Nantes|31000 Toulouse|13006 "
            "Marseille|67000 Strasbourg|35700 Rennes|59800 Lille"
        ),
    ),
    "es": (
        (
            "Calle Mayor|C/ Fuencarral|Avda. de la Constitución|Paseo de "
            "Gracia|Plaza de España|Calle del Olmo|Ronda de Sant Pere|Travesía de "
            "la Luna"
        ),
        "28004 Madrid|08010 Barcelona|41001 Sevilla|46002 Valencia|48009 Bilbao|50003 Zaragoza|18009 Granada",
    ),
    "mx": (
        "Calle Durango|Av. Insurgentes Sur|Calle Hidalgo",
        "Col. Roma Norte, 06700 Ciudad de México|Col. Centro, 44100 Guadalajara, Jal.",
    ),
    "it": (
        (
            "Via Garibaldi|Corso Vittorio Emanuele II|Piazza Dante|Viale dei "
            "Mille|Via San Vitale|Largo Augusto|Vicolo della Pergola|Via Roma"
        ),
        (
            "20121 Milano MI|00185 Roma (RM)|40125 Bologna BO|80138 Napoli|10128 "
            "Torino TO|50122 Firenze (FI)|90133 Palermo"
        ),
    ),
    "br": (
        (
            "Rua das Palmeiras|Av. Paulista|Rua Augusta|Alameda Santos|Travessa do "
            "Comércio|Rua Sete de Setembro|Avenida Beira-Mar"
        ),
        (
            "Vila Mariana, São Paulo - SP, 04101-000|Botafogo, Rio de Janeiro - RJ, "
            "22270-010|Savassi, Belo Horizonte - MG, CEP 30112-020|Batel, "
            "Curitiba/PR, 80420-090|Boa Viagem, Recife - PE, 51020-000"
        ),
    ),
    "pt": (
        "Rua do Almada|Avenida da Liberdade|Travessa das Flores|Largo do Carmo|Praceta Fernando Pessoa",
        "4050-037 Porto|1250-096 Lisboa|3000-150 Coimbra|4700-030 Braga|8000-075 Faro",
    ),
    "nl": (
        (
            "Prinsengracht|Kerkstraat|Van Speijkstraat|Oude "
            "Delft|Beukenlaan|Burgemeester de Vlugtlaan|Molenweg|Westersingel"
        ),
        (
            "1016 HK Amsterdam|3511 LX Utrecht|2611 CD Delft|9712 JN Groningen|5611 "
            "EM Eindhoven|3014 GR Rotterdam|6211 KD Maastricht"
        ),
    ),
    "be": ("Nationalestraat|Veldstraat|Naamsestraat", "2000 Antwerpen|9000 Gent|3000 Leuven"),
    "pl": (
        (
            "ul. Kwiatowa|ul. Marszałkowska|al. Jana Pawła II|ul. Długa|os. Złotego "
            "Wieku|pl. Wolności|ul. Świętojańska|ul. 3 Maja"
        ),
        (
            "00-590 Warszawa|31-146 Kraków|80-831 Gdańsk|61-739 Poznań|50-072 "
            "Wrocław|90-423 Łódź|81-368 Gdynia|20-001 Lublin"
        ),
    ),
    "se": (
        ("Storgatan|Kungsgatan|Björkvägen|Södra Förstadsgatan|Valhallavägen|Östra Hamngatan|Skolgatan|Hornsgatan"),
        ("111 43 Stockholm|411 10 Göteborg|211 43 Malmö|753 20 Uppsala|903 26 Umeå|582 24 Linköping|118 20 Stockholm"),
    ),
    "tr": (
        (
            "Atatürk Caddesi|Bağdat Cad.|Gül Sokak|İnönü Bulvarı|Lale "
            "Sok.|Cumhuriyet Mah. Zambak Sokak|Fatih Mah. 1453. Sok."
        ),
        ("34710 Kadıköy/İstanbul|06420 Çankaya/Ankara|35220 Konak/İzmir|16010 Osmangazi/Bursa|07100 Muratpaşa/Antalya"),
    ),
}
JP_PLACES = [
    "東京都世田谷区北沢|155-0031",
    "大阪府大阪市北区天神橋|530-0041",
    "福岡県福岡市中央区大名|810-0041",
    "北海道札幌市中央区南一条西|060-0061",
    "神奈川県横浜市中区山下町|231-0023",
    "京都府京都市左京区下鴨松ノ木町|606-0816",
    "愛知県名古屋市千種区覚王山通|464-0841",
    "宮城県仙台市青葉区一番町|980-0811",
]
CN_PLACES = [
    "北京市海淀区中关村南大街",
    "上海市徐汇区漕溪北路",
    "广东省深圳市南山区科苑路",
    "浙江省杭州市西湖区文三路",
    "四川省成都市武侯区人民南路四段",
    "江苏省南京市鼓楼区中山北路",
    "湖北省武汉市洪山区珞喻路",
]
TW_PLACES = ["10617 台北市大安區羅斯福路四段", "40343 台中市西區民權路", "80143 高雄市前金區中正四路"]
KR_PLACES = [
    "서울특별시 마포구 양화로",
    "부산광역시 해운대구 센텀중앙로",
    "경기도 성남시 분당구 판교로",
    "대전광역시 유성구 대학로",
    "서울시 강남구 테헤란로",
    "인천광역시 연수구 송도과학로",
    "제주특별자치도 제주시 연북로",
]
IN_HI = [
    "गांधी नगर, जयपुर, राजस्थान 302015",
    "सिविल लाइन्स, कानपुर, उत्तर प्रदेश 208001",
    "शिवाजी नगर, पुणे 411005",
    "राजेंद्र नगर, पटना, बिहार - 800016",
    "अरेरा कॉलोनी, भोपाल 462016",
    "करोल बाग, नई दिल्ली 110005",
]
IN_EN = [
    "3rd Cross, Indiranagar, Bengaluru 560038",
    "Linking Road, Bandra West, Mumbai - 400050",
    "Anna Nagar East, Chennai, Tamil Nadu 600102",
    "Salt Lake Sector V, Kolkata 700091",
    "Banjara Hills Road No. 12, Hyderabad 500034",
    "Sector 62, Noida, UP 201309",
]


def address(lang, country, multiline=False):
    n = R.randint(1, 148)
    if country == "jp":
        place, code = R.choice(JP_PLACES).split("|")
        tail = R.choice(
            [
                f"{R.randint(1, 5)}-{R.randint(1, 30)}-{R.randint(1, 20)}",
                f"{R.randint(1, 4)}丁目{R.randint(1, 30)}番{R.randint(1, 20)}号",
            ]
        )
        room = R.choice(["", "", f" コーポ桜{R.randint(101, 505)}号室", f" グランドハイツ{R.randint(201, 909)}"])
        sep = "\n" if multiline else R.choice([" ", "　", ""])
        code = R.choice([f"〒{code}{sep or ' '}", f"〒{code}{sep or ' '}", ""])
        return code + place + tail + room
    if country == "cn":
        return (
            R.choice(CN_PLACES)
            + f"{n}号"
            + R.choice(
                [
                    "",
                    f"{R.randint(1, 20)}栋{R.randint(1, 4)}单元{R.randint(101, 2404)}室",
                    f"{R.randint(1, 30)}号楼{R.randint(101, 1802)}",
                ]
            )
        )
    if country == "tw":
        return R.choice(TW_PLACES) + f"{n}號{R.randint(2, 12)}樓"
    if country == "kr":
        return (
            R.choice(KR_PLACES)
            + f" {n}"
            + R.choice(["", f", {R.randint(101, 120)}동 {R.randint(101, 2001)}호", f" {R.randint(2, 9)}층"])
            + R.choice(["", f" ({mask('%####')})"])
        )
    if country == "in":
        if lang == "hi" and multiline != "en":
            return (
                R.choice(["मकान नं. ", "फ्लैट नं. ", "घर संख्या "])
                + R.choice([f"{n}", f"{n}/{R.randint(2, 40)}", f"B-{n}"])
                + ", "
                + R.choice(IN_HI)
            )
        return R.choice(
            [f"Flat {R.randint(101, 904)}, Sai Residency, ", f"#{n}, ", f"House No. {n}, ", f"{n}/A, "]
        ) + R.choice(IN_EN)
    streets, cities = (p.split("|") for p in PLACES[country])
    street, city = R.choice(streets), R.choice(cities)
    sep = "\n" if multiline else ", "
    if country == "us":
        n = R.randint(11, 9800)
        return f"{n} {street}{sep}{city}"
    if country in ("gb", "au", "ca"):
        head = (
            R.choice([f"{n} {street}", f"{n} {street}", f"Flat {R.randint(1, 9)}, {n} {street}"])
            if country == "gb"
            else f"{n} {street}"
        )
        return f"{head}{sep}{city}"
    if country == "fr":
        return f"{n}{R.choice(['', '', ' bis', ','])} {street}{sep}{city}"
    if country in ("es", "mx"):
        flat = (
            R.choice(["", f", {R.randint(1, 7)}º {R.choice('ABCD')}", f", {R.randint(1, 5)}º izda."])
            if country == "es"
            else ""
        )
        return f"{street}{R.choice([' ', ', ', ' nº '])}{n}{flat}{sep}{city}"
    if country == "it":
        return f"{street}{R.choice([' ', ', ', ' n. '])}{n}{sep}{city}"
    if country == "br":
        flat = R.choice(["", f", apto {R.randint(11, 184)}", f" - casa {R.randint(1, 4)}"])
        return f"{street}, {R.choice(['', 'nº '])}{n}{flat}{sep}{city}"
    if country == "pt":
        return f"{street}, {n}{R.choice(['', ', 2.º Esq.', ', r/c Dto'])}{sep}{city}"
    if country == "pl":
        return f"{street} {n}{R.choice(['', f'/{R.randint(1, 60)}', f' m. {R.randint(1, 40)}'])}{sep}{city}"
    if country == "se":
        return f"{street} {n}{R.choice(['', ' B', ', lgh 1102'])}{sep}{city}"
    if country == "tr":
        return f"{street} No: {n}{R.choice(['', f' D: {R.randint(1, 20)}', f'/{R.randint(1, 20)}'])}{sep if multiline else R.choice([', ', ' '])}{city}"
    if country == "nl":
        return f"{street} {n}{R.choice(['', 'a', '-II', ' bis'])}{sep}{city}"
    return f"{street} {n}{R.choice(['', 'a', ''])}{sep}{city}"


# ---------------------------------------------------------------- dates
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": ("stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia"),
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "hi": "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}
ABBR = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pl": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "sv": "jan feb mars apr maj juni juli aug sept okt nov dec",
    "hi": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "tr": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
}


def day(start=1938, end=2011):
    return datetime.date(start, 1, 1) + datetime.timedelta(days=R.randrange((end - start) * 365))


def date(lang, style, value):
    y, m, d = value.year, value.month, value.day
    if style == "iso":
        return value.isoformat()
    if lang in ("ja", "zh", "ko"):
        mark = {"ja": "年月日", "zh": "年月日", "ko": "년월일"}[lang]
        gap = " " if lang == "ko" else ""
        if style == "long":
            return f"{y}{mark[0]}{gap}{m}{mark[1]}{gap}{d}{mark[2]}"
        if style == "era" and lang == "ja":
            era, base = ("昭和", 1925) if y < 1989 else ("平成", 1988)
            return f"{era}{max(y - base, 2)}年{m}月{d}日"
        if style == "short":
            return f"{y}.{m:02}.{d:02}" if lang != "ko" else f"{y}. {m}. {d}."
        return R.choice([f"{y}/{m:02}/{d:02}", f"{y}-{m:02}-{d:02}", f"{y}{mark[0]}{gap}{m}{mark[1]}{gap}{d}{mark[2]}"])
    if style == "long":
        month = MONTHS[lang].split()[m - 1]
        return {
            "en": R.choice(
                [
                    f"{month} {d}, {y}",
                    f"{d} {month} {y}",
                    f"{month} {d}{'th' if 4 <= d <= 20 or d % 10 not in (1, 2, 3) else ['st', 'nd', 'rd'][d % 10 - 1]}, {y}",
                ]
            ),
            "de": f"{d}. {month} {y}",
            "es": f"{d} de {month} de {y}",
            "pt": f"{d} de {month} de {y}",
            "fr": f"{'1er' if d == 1 else d} {month} {y}",
        }.get(lang, f"{d} {month} {y}")
    if style == "short":
        month = ABBR[lang].split()[m - 1]
        return {
            "en": R.choice([f"{d} {month} {y}", f"{month} {d} {y}", f"{d:02}-{month}-{y}"]),
            "de": f"{d}. {month} {y}",
            "es": f"{d}-{month}-{y}",
            "pt": f"{d:02}/{month}/{y}",
            "hi": f"{d:02}-{month}-{y}",
        }.get(lang, f"{d} {month} {y}")
    if style == "yy":
        return f"{d:02}{'-' if lang == 'nl' else '.' if lang in ('de', 'pl', 'tr') else '/'}{m:02}{'-' if lang == 'nl' else '.' if lang in ('de', 'pl', 'tr') else '/'}{y % 100:02}"
    if style == "us":
        return f"{m:02}/{d:02}/{y}"
    if lang in ("de", "pl", "tr"):
        return f"{d:02}.{m:02}.{y}"
    if lang == "sv":
        return value.isoformat()
    if lang == "nl":
        return f"{d:02}-{m:02}-{y}"
    return R.choice([f"{d:02}/{m:02}/{y}", f"{d:02}/{m:02}/{y}", f"{d:02}-{m:02}-{y}"])


# ---------------------------------------------------------------- national numbers
def mynumber_ok(v):
    v = re.sub(r"\D", "", v)
    if len(v) != 12:
        return False
    total = sum(int(c) * (n + 1 if n <= 6 else n - 5) for n, c in enumerate(reversed(v[:11]), 1))
    return int(v[11]) == (0 if total % 11 <= 1 else 11 - total % 11)


def twid_ok(v):
    if not re.fullmatch(r"[A-Z][12]\d{8}", v):
        return False
    code = 10 + "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(v[0])
    return (
        code // 10 + code % 10 * 9 + sum(int(c) * w for c, w in zip(v[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1), strict=False))
    ) % 10 == 0


def nino_ok(v):
    return bool(re.fullmatch(r"[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]", v))


def codice():
    cf = std("it.codicefiscale")
    cons = "BCDFGLMNPRSTVZ"
    d = day(1945, 2006)
    sex = R.choice([0, 40])
    place = R.choice(["H501", "F205", "L219", "F839", "A944", "D612", "G273"])
    body = chars(cons, 6) + f"{d.year % 100:02}" + "ABCDEHLMPRST"[d.month - 1] + f"{d.day + sex:02}" + place
    return body + cf.calc_check_digit(body)


def swedish():
    d = day(1940, 2004)
    body = f"{d:%y%m%d}" + mask("###")
    number = body[:6] + "-" + body[6:] + luhn.calc_check_digit(body)
    return R.choice([number, f"{d:%Y%m%d}-" + number[7:], f"{d:%Y%m%d}" + number[7:]])


def pesel():
    d = day(1945, 2008)
    body = f"{d.year % 100:02}{d.month + (20 if d.year >= 2000 else 0):02}{d.day:02}" + mask("####")
    return body + std("pl.pesel").calc_check_digit(body)


def chinese():
    place = R.choice(["110108", "310104", "440305", "330106", "510107", "420111"])
    ric = std("cn.ric")

    def make():
        body = place + f"{day(1950, 2005):%Y%m%d}" + mask("###")
        return body + ric.calc_check_digit(body + "0")

    return until(make, ric.is_valid)


def nir():
    d = day(1940, 2005)
    body = (
        R.choice("12")
        + f"{d:%y%m}"
        + R.choice(["75", "69", "44", "31", "13", "67", "35", "59"])
        + mask("0%#")
        + mask("#%#")
    )
    key = f"{97 - int(body) % 97:02}"
    return R.choice([body + key, f"{body[0]} {body[1:3]} {body[3:5]} {body[5:7]} {body[7:10]} {body[10:13]} {key}"])


def korean():
    d = day(1950, 2006)
    body = f"{d:%y%m%d}" + R.choice("12" if d.year < 2000 else "34") + mask("0%####"[:5])
    return until(lambda: body[:6] + "-" + body[6:] + R.choice(DIG), std("kr.rrn").is_valid)


def spaced(value, *groups, sep=" "):
    out, pos = [], 0
    for g in groups:
        out.append(value[pos : pos + g])
        pos += g
    return sep.join(out)


def valid(mod, pattern):
    return until(lambda: mask(pattern), std(mod).is_valid)


def aadhaar():
    return R.choice([lambda v: v, lambda v: spaced(v, 4, 4, 4), lambda v: spaced(v, 4, 4, 4)])(
        valid("in_.aadhaar", "%###########")
    )


def curp():
    d = day(1950, 1999)
    body = (
        chars("BCDFGLMNPR", 1)
        + R.choice("AEIO")
        + chars("BCDFGLMNPR", 2)
        + f"{d:%y%m%d}"
        + R.choice("HM")
        + R.choice(["DF", "JC", "NL", "PL"])
        + chars("BCDFGLMNPR", 3)
        + "0"
    )
    return until(lambda: body + R.choice(DIG), std("mx.curp").is_valid)


def bsn():
    v = until(lambda: mask("%########"), std("nl.bsn").is_valid)
    return R.choice([v, v, f"{v[:4]}.{v[4:6]}.{v[6:]}", f"{v[:4]} {v[4:6]} {v[6:]}"])


def nif_pt():
    return R.choice([lambda v: v, lambda v: spaced(v, 3, 3, 3)])(valid("pt.nif", R.choice(["1########", "2########"])))


def be_nn():
    d = day(1950, 1999)
    body = f"{d:%y%m%d}" + mask("%##")
    v = body + f"{97 - int(body) % 97:02}"
    return f"{v[:2]}.{v[2:4]}.{v[4:6]}-{v[6:9]}.{v[9:]}"


def ahv():
    v = valid("ch.ssn", "756##########")
    return f"{v[:3]}.{v[3:7]}.{v[7:11]}.{v[11:]}"


def svnr():
    d = day(1950, 2000)
    return until(lambda: mask("%###") + " " + f"{d:%d%m%y}", std("at.vnr").is_valid)


def dotted_cpf():
    v = valid("br.cpf", "###########")
    return R.choice([f"{v[:3]}.{v[3:6]}.{v[6:9]}-{v[9:]}", f"{v[:3]}.{v[3:6]}.{v[6:9]}-{v[9:]}", v])


NATIONAL = {
    "us": lambda: until(lambda: mask("%##-##-####"), std("us.ssn").is_valid),
    "gb": lambda: until(lambda: mask(R.choice(["@@ ## ## ## ", "@@######"])) + R.choice("ABCD"), nino_ok),
    "ca": lambda: until(lambda: mask("%##-###-###"), std("ca.sin").is_valid),
    "au": lambda: until(lambda: mask("%## ### ###"), std("au.tfn").is_valid),
    "de": lambda: R.choice([lambda v: v, lambda v: spaced(v, 2, 3, 3, 3)])(valid("de.idnr", "%##########")),
    "at": svnr,
    "ch": ahv,
    "fr": nir,
    "be": be_nn,
    "es": lambda: R.choice([lambda v: v, lambda v: v[:8] + "-" + v[8:], lambda v: f"{v[:2]}.{v[2:5]}.{v[5:8]}-{v[8]}"])(
        valid("es.dni", "%#######@")
    ),
    "nie": lambda: R.choice([lambda v: v, lambda v: f"{v[0]}-{v[1:8]}-{v[8]}"])(
        until(lambda: R.choice("XYZ") + mask("#######@"), std("es.nie").is_valid)
    ),
    "mx": curp,
    "it": codice,
    "br": dotted_cpf,
    "pt": nif_pt,
    "nl": bsn,
    "pl": pesel,
    "se": swedish,
    "jp": lambda: R.choice([lambda v: v, lambda v: spaced(v, 4, 4, 4), lambda v: spaced(v, 4, 4, 4, sep="-")])(
        until(lambda: mask("%###########"), mynumber_ok)
    ),
    "cn": chinese,
    "tw": lambda: until(lambda: mask("@") + R.choice("12") + mask("########"), twid_ok),
    "in": aadhaar,
    "pan": lambda: until(
        lambda: chars(UP, 3) + "P" + chars(UP, 1) + mask("####") + chars(UP, 1), std("in_.pan").is_valid
    ),
    "kr": korean,
    "tr": lambda: valid("tr.tckimlik", "%##########"),
}
NATIONAL_CHECK = {
    "en": ["us.ssn", nino_ok, "ca.sin", "au.tfn"],
    "de": ["de.idnr", "at.vnr", "ch.ssn"],
    "fr": ["fr.nir", "be.nn"],
    "es": ["es.dni", "es.nie", "mx.curp"],
    "it": ["it.codicefiscale"],
    "pt": ["br.cpf", "pt.nif"],
    "nl": ["nl.bsn", "be.nn"],
    "pl": ["pl.pesel"],
    "sv": ["se.personnummer"],
    "ja": [mynumber_ok],
    "zh": ["cn.ric", twid_ok],
    "hi": ["in_.aadhaar", "in_.pan"],
    "ko": ["kr.rrn"],
    "tr": ["tr.tckimlik"],
}

PASSPORT = {
    "us": ["@########", "5########"],
    "gb": ["5########", "1########"],
    "au": ["PA#######", "N#######"],
    "ca": ["@@######"],
    "de": ["C&&&&&&&#", "C01&&&&&#"],
    "fr": ["##@@#####"],
    "es": ["@@@######", "PAD######"],
    "it": ["YA#######", "YB#######"],
    "br": ["F@######", "GB######"],
    "pt": ["C@######", "P######"],
    "nl": ["N@&&&&&&#", "NX&&&&&&#"],
    "pl": ["E@#######"],
    "se": ["%#######", "AA#######"],
    "jp": ["T@#######", "M@#######"],
    "cn": ["E########", "EJ#######"],
    "tw": ["3########"],
    "in": ["@#######", "Z#######"],
    "kr": ["M########", "M###@####"],
    "tr": ["U########", "U########"],
}
LICENCE = {
    "us": ["@#######", "@###-####-####"],
    "de": ["B072&&&&#%#", "J430&&&&#%1"],
    "fr": ["############", "##@@#####"],
    "it": ["U1%######@", "MI#######@"],
    "br": None,
    "pt": ["L-####### #", "P-####### #"],
    "nl": ["5#########", "4#########"],
    "pl": ["#####/##/####", "0####/1#/1465"],
    "se": ["%########"],
    "jp": ["30##########", "62##########"],
    "cn": ["33010#######", "31000#######"],
    "in": ["MH12 20#########", "DL-14201#######", "KA05 20#########"],
    "kr": ["11-##-######-##", "13-##-######-##"],
    "tr": ["%#####", "@ %#####"],
    "es": None,
    "gb": None,
}


def pl_passport_ok(v):
    digits = [ord(c) - 55 for c in v[:2]] + [int(c) for c in v[2:]]
    return sum(d * w for d, w in zip(digits, (7, 3, 9, 1, 7, 3, 1, 7, 3), strict=False)) % 10 == 0


def licence(country):
    if country == "gb":
        d = day(1950, 2003)
        name = R.choice(["HOLLO", "PRUIT", "OKAFO", "WHITC", "ASHDO", "THORN", "FAIRL", "MBEKI"])
        return f"{name}{d:%y}"[:6] + f"{d:%m%d}"[:4] + f"{d.year % 10}" + chars(UP, 2) + "9" + chars(UP, 2)
    if country == "es":
        return valid("es.dni", "%#######@")
    if country == "br":

        def make():
            base = mask("#########")
            s = sum(int(c) * (9 - i) for i, c in enumerate(base)) % 11
            d1, off = (0, 2) if s >= 10 else (s, 0)
            s = sum(int(c) * (i + 1) for i, c in enumerate(base)) % 11 - off
            d2 = 0 if s >= 10 or s < 0 else s
            return f"{base}{d1}{d2}"

        return make()
    return mask(R.choice(LICENCE[country]))


def kvnr_check(body):
    digits = f"{UP.index(body[0]) + 1:02}" + body[1:]
    return str(sum(sum(map(int, str(int(c) * (1 + i % 2)))) for i, c in enumerate(digits)) % 10)


def medical(country):
    if country == "gb":
        v = valid("gb.nhs", "%#########")
        return R.choice([v, spaced(v, 3, 3, 4)])
    if country == "de":
        body = R.choice(UP) + mask("########")
        return body + kvnr_check(body)
    if country == "br":
        return until(
            lambda: R.choice("789") + mask("##############"),
            lambda v: sum(int(c) * (15 - i) for i, c in enumerate(v)) % 11 == 0,
        )
    if country == "abha":
        return until(lambda: mask("91-%###-####-####"), lambda v: std("verhoeff").is_valid(v.replace("-", "")))
    return mask(
        R.choice(
            {
                "us": ["%@&#-@&#-@@##", "MRN-%######", "XJB%########"],
                "fr": ["IPP %########", "80%########"],
                "es": ["BBBB%#########", "28/%########", "AN%#########"],
                "it": ["80380########%######", "8038000%############"],
                "pt": ["%########"],
                "nl": ["%########", "80528%##########"],
                "pl": ["%####/20##", "KG-%#####"],
                "se": ["J-%######", "20##-%####"],
                "jp": ["%#######", "06%######"],
                "cn": ["M%########", "YB%#########"],
                "in": ["91-%###-####-####", "UHID%#######"],
                "kr": ["%##########", "1%#########"],
                "tr": ["%#######", "P-%#####"],
            }[country]
        )
    )


# ---------------------------------------------------------------- money
def card():
    prefix, length, groups = R.choice(
        [
            ("4", 16, (4, 4, 4, 4)),
            ("4", 16, (4, 4, 4, 4)),
            ("51", 16, (4, 4, 4, 4)),
            ("54", 16, (4, 4, 4, 4)),
            ("2221", 16, (4, 4, 4, 4)),
            ("37", 15, (4, 6, 5)),
            ("6011", 16, (4, 4, 4, 4)),
            ("3530", 16, (4, 4, 4, 4)),
        ]
    )
    body = prefix + chars(DIG, length - len(prefix) - 1)
    v = body + luhn.calc_check_digit(body)
    return R.choice([v, spaced(v, *groups), spaced(v, *groups), spaced(v, *groups, sep="-")])


def cin_it(bban):
    odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
    return UP[sum(odd[int(c)] if i % 2 == 0 else int(c) for i, c in enumerate(bban)) % 26]


def make_iban(country):
    c = country
    if c in ("jp", "cn", "in", "kr", "us", "tw", "mx", "ca", "au"):
        c = R.choice(["de", "gb", "fr", "nl"])
    if c == "es":
        ccc = std("es.ccc")
        body = R.choice(["0049", "2100", "0182", "2085"]) + mask("####") + "00" + mask("##########")
        bban = body[:8] + ccc.calc_check_digits(body) + body[10:]
    elif c == "fr":
        b, g, n = R.choice(["30004", "20041", "30003", "18206"]), mask("#####"), mask("0##########")
        bban = b + g + n + f"{97 - (89 * int(b) + 15 * int(g) + 3 * int(n)) % 97:02}"
    elif c == "it":
        body = R.choice(["03069", "02008", "05034", "08327"]) + mask("0####") + mask("00##########")
        bban = cin_it(body) + body
    elif c == "pt":
        body = R.choice(["0035", "0010", "0033", "0007"]) + mask("####") + mask("###########")
        bban = body + f"{98 - int(body + '00') % 97:02}"
    elif c == "nl":
        acc = until(lambda: mask("0%########"), lambda v: sum(int(x) * (10 - i) for i, x in enumerate(v)) % 11 == 0)
        bban = R.choice(["ABNA", "RABO", "INGB", "TRIO"]) + acc
    elif c == "be":
        body = R.choice(["001", "310", "735", "063"]) + mask("#######")
        bban = body + f"{int(body) % 97 or 97:02}"
    elif c == "pl":
        sort = R.choice(["1020555", "1140200", "1050144", "1240625"])
        check = (10 - sum(int(x) * w for x, w in zip(sort, (3, 9, 7, 1, 3, 9, 7), strict=False)) % 10) % 10
        bban = sort + str(check) + mask("################")
    else:
        bban = {
            "de": lambda: R.choice(["37040044", "10050000", "70150000", "20050550"]) + mask("##########"),
            "at": lambda: R.choice(["12000", "20111", "32000"]) + mask("###########"),
            "ch": lambda: "00" + R.choice(["762", "230", "483"]) + mask("############"),
            "gb": lambda: R.choice(["NWBK", "BARC", "LOYD", "MIDL"]) + mask("##############"),
            "ie": lambda: R.choice(["AIBK", "BOFI"]) + mask("9#############"),
            "br": lambda: R.choice(["00360305", "60746948", "60701190"]) + mask("0####") + mask("##########") + "C1",
            "se": lambda: R.choice(["500", "600", "800", "300"]) + mask("#################"),
            "tr": lambda: R.choice(["00062", "00064", "00010", "00046"]) + "0" + mask("################"),
        }[c]()
    v = c.upper() + std_iban.calc_check_digits(c.upper() + "00" + bban) + bban
    return R.choice(
        [v, " ".join(v[i : i + 4] for i in range(0, len(v), 4)), " ".join(v[i : i + 4] for i in range(0, len(v), 4))]
    )


def bank(country):
    if country == "us":
        return (
            until(lambda: mask(R.choice(["0#######%", "1########", "026######"])), std("us.rtn").is_valid)
            + R.choice([" ", " / ", "-"])
            + mask("%#########")
        )
    patterns = {
        "gb": ["%#-##-## ########", "%##### ########", "%#-##-## / ########"],
        "de": ["%######### / 37040044", "%####### (BLZ 10050000)", "70150000/%########"],
        "fr": None,
        "es": None,
        "it": None,
        "pt": None,
        "br": ["%###-# C/C %####-#", "%### cc %#####-#", "%### conta corrente %####-#"],
        "nl": None,
        "pl": None,
        "se": ["8327-9, %## ### ### #", "6%##-%## ### ###", "33%#-%######"],
        "jp": ["渋谷支店 普通 %######", "横浜支店（普通）%######", "梅田支店(102) 普通預金 %######"],
        "cn": None,
        "in": ["%########## / SBIN000####", "5010%######### IFSC HDFC000####", "%########### (ICIC000####)"],
        "kr": ["110-%##-######", "%#####-##-######", "3333-##-%######", "1002-%##-######"],
        "tr": ["%###-%######", "0%##-%#######"],
        "au": ["06%-### #### ####"],
    }
    if country == "fr":
        b, g, n = R.choice(["30004", "20041", "30003"]), mask("#####"), mask("0##########")
        return f"{b} {g} {n} {97 - (89 * int(b) + 15 * int(g) + 3 * int(n)) % 97:02}"
    if country == "es":
        body = R.choice(["0049", "2100", "0182", "2085"]) + mask("####") + "00" + mask("##########")
        return R.choice(["{} {} {} {}", "{}-{}-{}-{}"]).format(
            body[:4], body[4:8], std("es.ccc").calc_check_digits(body), body[10:]
        )
    if country == "it":
        body = R.choice(["03069", "02008", "05034"]) + mask("0####") + mask("00##########")
        return f"{cin_it(body)} {body[:5]} {body[5:10]} {body[10:]}"
    if country == "pt":
        body = R.choice(["0035", "0010", "0033"]) + mask("####") + mask("###########")
        return f"{body[:4]} {body[4:8]} {body[8:19]} {98 - int(body + '00') % 97:02}"
    if country == "pl":
        full = make_iban("pl").replace(" ", "")[2:]
        return R.choice([full, full[:2] + " " + " ".join(full[i : i + 4] for i in range(2, 26, 4))])
    if country == "nl":
        v = until(lambda: mask("%########"), lambda x: sum(int(c) * (9 - i) for i, c in enumerate(x)) % 11 == 0)
        return R.choice([v, f"{v[:2]}.{v[2:4]}.{v[4:6]}.{v[6:]}"])
    if country == "cn":
        body = R.choice(["622202", "621700", "622848", "621661"]) + chars(DIG, 12)
        v = body + luhn.calc_check_digit(body)
        return R.choice([v, spaced(v, 4, 4, 4, 4, 3)])
    return mask(R.choice(patterns[country]))


# ---------------------------------------------------------------- wallets
B58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def b58(data):
    n, out = int.from_bytes(data, "big"), ""
    while n:
        n, r = divmod(n, 58)
        out = B58[r] + out
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + out


def unb58(text):
    n = 0
    for c in text:
        n = n * 58 + B58.index(c)
    return b"\0" * (len(text) - len(text.lstrip("1"))) + n.to_bytes((n.bit_length() + 7) // 8, "big")


def sha2(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def keccak256(data):
    mask64 = (1 << 64) - 1

    def rol(x, n):
        n %= 64
        return ((x << n) | (x >> (64 - n))) & mask64

    state = [[0] * 5 for _ in range(5)]
    padded = bytearray(data) + b"\1"
    padded += b"\0" * (-len(padded) % 136)
    padded[-1] |= 0x80
    for block in range(0, len(padded), 136):
        for i in range(17):
            state[i % 5][i // 5] ^= int.from_bytes(padded[block + 8 * i : block + 8 * i + 8], "little")
        lfsr = 1
        for _ in range(24):
            c = [state[x][0] ^ state[x][1] ^ state[x][2] ^ state[x][3] ^ state[x][4] for x in range(5)]
            d = [c[(x + 4) % 5] ^ rol(c[(x + 1) % 5], 1) for x in range(5)]
            state = [[state[x][y] ^ d[x] for y in range(5)] for x in range(5)]
            x, y, current = 1, 0, state[1][0]
            for t in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                current, state[x][y] = state[x][y], rol(current, (t + 1) * (t + 2) // 2)
            for y in range(5):
                row = [state[x][y] for x in range(5)]
                for x in range(5):
                    state[x][y] = row[x] ^ (~row[(x + 1) % 5] & mask64 & row[(x + 2) % 5])
            for j in range(7):
                lfsr = ((lfsr << 1) ^ ((lfsr >> 7) * 0x71)) % 256
                if lfsr & 2:
                    state[0][0] ^= 1 << ((1 << j) - 1)
    return b"".join(state[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


def eip55(hexa):
    digest = keccak256(hexa.encode()).hex()
    return "0x" + "".join(c.upper() if int(digest[i], 16) >= 8 else c for i, c in enumerate(hexa))


BECH = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def polymod(values):
    check = 1
    for v in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ v
        for i, g in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= g if (top >> i) & 1 else 0
    return check


def bech_values(hrp, data):
    return [ord(c) >> 5 for c in hrp] + [0] + [ord(c) & 31 for c in hrp] + data


def segwit(hrp, taproot=False):
    program = R.randbytes(32 if taproot else 20)
    bits = int.from_bytes(program, "big")
    n = len(program) * 8
    pad = -n % 5
    bits <<= pad
    data = [1 if taproot else 0] + [(bits >> (n + pad - 5 * (i + 1))) & 31 for i in range((n + pad) // 5)]
    mod = polymod(bech_values(hrp, data) + [0] * 6) ^ (0x2BC830A3 if taproot else 1)
    return hrp + "1" + "".join(BECH[d] for d in data + [(mod >> 5 * (5 - i)) & 31 for i in range(6)])


def wallet():
    def b58check(prefix):
        data = prefix + R.randbytes(20)
        return b58(data + sha2(data)[:4])

    return R.choice(
        [
            lambda: b58check(b"\0"),
            lambda: b58check(b"\5"),
            lambda: segwit("bc"),
            lambda: segwit("bc", True),
            lambda: eip55(R.randbytes(20).hex()),
            lambda: eip55(R.randbytes(20).hex()),
            lambda: b58check(b"\x41"),
            lambda: segwit("ltc"),
            lambda: b58check(b"\x1e"),
        ]
    )()


def wallet_ok(v):
    if v.startswith("0x"):
        return v == eip55(v[2:].lower()) and len(v) == 42
    m = re.fullmatch(r"(bc|ltc)1([a-z0-9]+)", v)
    if m:
        data = [BECH.index(c) for c in m[2]]
        return polymod(bech_values(m[1], data)) == (0x2BC830A3 if data[0] else 1)
    raw = unb58(v)
    return len(raw) == 25 and sha2(raw[:-4])[:4] == raw[-4:]


# ---------------------------------------------------------------- secrets and machines
def base62(n, width):
    out = ""
    while n:
        n, r = divmod(n, 62)
        out = (DIG + UP + LOW)[r] + out
    return out.rjust(width, "0")


def crc_token(prefix, n=30):
    body = chars(ALNUM, n)
    return prefix + body + base62(binascii.crc32(body.encode()), 6)


def b64u(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


HEX = "0123456789abcdef"
WEB = ALNUM + "-_"
TOKENS = {
    "github": lambda: crc_token(R.choice(["ghp_", "gho_", "ghs_"])),
    "githubpat": lambda: "github_pat_" + chars(ALNUM, 22) + "_" + chars(ALNUM, 59),
    "openai": lambda: "sk-proj-" + chars(WEB, 48) + "T3BlbkFJ" + chars(WEB, 48),
    "anthropic": lambda: "sk-ant-api03-" + chars(WEB, 93) + "AA",
    "aws": lambda: R.choice(["AKIA", "ASIA"]) + chars(UP + "234567", 16),
    "stripe": lambda: R.choice(["sk_live_", "rk_live_", "sk_test_"]) + chars(ALNUM, 24),
    "slack": lambda: f"xoxb-{mask('%###########')}-{mask('%############')}-" + chars(ALNUM, 24),
    "google": lambda: "AIzaSy" + chars(WEB, 33),
    "gitlab": lambda: "glpat-" + chars(WEB, 20),
    "npm": lambda: crc_token("npm_"),
    "sendgrid": lambda: "SG." + chars(WEB, 22) + "." + chars(WEB, 43),
    "hf": lambda: "hf_" + chars(UP + LOW, 34),
    "telegram": lambda: mask("%#########") + ":AA" + chars(WEB, 33),
    "do": lambda: "dop_v1_" + chars(HEX, 64),
    "shopify": lambda: "shpat_" + chars(HEX, 32),
    "twilio": lambda: chars(HEX, 32),
    "vault": lambda: "hvs." + chars(WEB, 90),
    "notion": lambda: "ntn_" + mask("###########") + chars(ALNUM, 35),
    "linear": lambda: "lin_api_" + chars(ALNUM, 40),
    "jwt": lambda: (
        b64u(b'{"alg":"HS256","typ":"JWT"}')
        + "."
        + b64u(json.dumps({"sub": mask("%#####"), "iat": 1700000000 + R.randrange(10**7)}).encode())
        + "."
        + b64u(R.randbytes(32))
    ),
}
WORDS = (
    ("Tulpe Regen tiger Montag River copper Besen gatto Sole Kiwi falcon lumiere Nube zima Snö Kedi Lotus mango")
    .replace("ö", "o")
    .split()
)


def password():
    w = R.choice(WORDS)
    return R.choice(
        [
            lambda: f"{w}{R.choice('!#$*?')}{R.randint(10, 2999)}",
            lambda: chars(ALNUM, 5) + R.choice("!#%*+@") + chars(ALNUM, 6),
            lambda: w.replace("o", "0").replace("a", "4").replace("e", "3") + "_" + chars(ALNUM, 4) + "!",
            lambda: f"{w}-{R.choice(WORDS).lower()}-{R.choice(WORDS).lower()}-{R.randint(11, 99)}",
        ]
    )()


def secret(variant):
    if variant == "pw":
        return password()
    if variant == "plain":
        return chars(ALNUM, 14)
    if variant == "totp":
        v = chars(UP + "234567", R.choice([16, 32]))
        return R.choice([v, " ".join(v[i : i + 4].lower() for i in range(0, len(v), 4))])
    if variant == "awssecret":
        return chars(ALNUM + "+/", 40)
    if variant == "hex":
        return chars(HEX, 40)
    if variant == "pem":
        kind, n = R.choice([("EC", 121), ("RSA", 300), ("OPENSSH", 260)])
        raw = (b"openssh-key-v1\0" if kind == "OPENSSH" else b"\x30\x77\x02\x01\x01") + R.randbytes(n)
        text = base64.b64encode(raw).decode()
        return (
            f"-----BEGIN {kind} PRIVATE KEY-----\n"
            + "\n".join(text[i : i + 64] for i in range(0, len(text), 64))
            + f"\n-----END {kind} PRIVATE KEY-----"
        )
    if variant:
        return TOKENS[variant]()
    return TOKENS[R.choice([k for k in TOKENS if k != "twilio"])]()


def ip(variant):
    if variant == "6" or (variant is None and R.random() < 0.25):
        return str(
            ipaddress.IPv6Address(
                int.from_bytes(
                    R.choice([b"\x2a\x02\x08\x08", b"\x20\x01\x0d\xb8", b"\x2a\x01\xe0\x34"])
                    + R.randbytes(4)
                    + R.choice([b"\0" * 6 + R.randbytes(2), R.randbytes(8)]),
                    "big",
                )
            )
        )
    if variant == "lan":
        return R.choice(
            [
                f"192.168.{R.randint(0, 178)}.{R.randint(2, 254)}",
                f"10.{R.randint(0, 60)}.{R.randint(0, 255)}.{R.randint(2, 254)}",
            ]
        )
    return f"{R.choice([31, 46, 62, 78, 81, 84, 93, 109, 151, 178, 185, 203, 212])}.{R.randint(1, 254)}.{R.randint(0, 255)}.{R.randint(1, 254)}"


def mac():
    raw = R.choice(
        [b"\x3c\x22\xfb", b"\xa4\x83\xe7", b"\x00\x1b\x63", b"\xf0\x18\x98", b"\xdc\xa6\x32", b"\x9c\xb6\xd0"]
    ) + R.randbytes(3)
    h = raw.hex()
    pairs = [h[i : i + 2] for i in range(0, 12, 2)]
    return R.choice([":".join(pairs), ":".join(pairs).upper(), "-".join(pairs).upper(), f"{h[:4]}.{h[4:8]}.{h[8:]}"])


def biometric():
    return R.choice(
        [
            lambda: chars(HEX, 64),
            lambda: "sha256:" + chars(HEX, 64),
            lambda: base64.b64encode(b"FMR\0 20\0" + R.randbytes(40)).decode(),
            lambda: base64.b64encode(R.randbytes(48)).decode(),
            lambda: chars(HEX, 40),
        ]
    )()


URLS = [
    "https://www.{h}/profil/{n}",
    "https://{h}/u/{w}-{n}",
    "http://{h}/photos/{n}.jpg",
    "https://drive.{h}/file/d/{r}/view",
    "https://{h}/reset?uid={n}",
]


def url():
    return R.choice(URLS).format(
        h=R.choice(["fotoalbum.example.com", "klubheim.net", "vita-portal.org", "runners-hub.io"]),
        n=R.randint(1000, 999999),
        w=R.choice(functools.reduce(operator.iadd, ROMAN.values(), [])),
        r=chars(ALNUM, 18),
    )


# ---------------------------------------------------------------- filling
def filler(lang, kind):
    in_english = lang
    if kind.startswith("e") and kind in ("ename", "efirst", "elast"):
        in_english, kind = "in", kind[1:]
    women, men, last = (p.split() for p in NAMES[in_english])
    first = R.choice(women + men)
    surname = R.choice(last)
    recent = day(2023, 2026)
    return {
        "name": lambda: (
            surname + ("" if lang in ("zh", "ko") else " " if lang == "ja" else "") + first
            if lang in ("ja", "zh", "ko")
            else f"{first} {surname}"
        ),
        "first": lambda: first,
        "last": lambda: surname,
        "f": lambda: R.choice(women),
        "m": lambda: R.choice(men),
        "order": lambda: mask(R.choice(["A-%#####", "%##-%####", "ORD%#####", "#%####"])),
        "n": lambda: str(R.randint(2, 60)),
        "big": lambda: str(R.randint(100, 9800)),
        "date": lambda: date(lang, "num", recent),
        "datelong": lambda: date(lang, "long", recent),
        "iso": lambda: recent.isoformat(),
        "ver": lambda: f"{R.randint(1, 14)}.{R.randint(0, 20)}.{R.randint(0, 30)}",
        "time": lambda: f"{R.randint(7, 21):02}:{R.randint(0, 59):02}",
        "year": lambda: str(R.randint(2005, 2024)),
        "ts": lambda: f"{recent.isoformat()}T{R.randint(0, 23):02}:{R.randint(0, 59):02}:{R.randint(0, 59):02}Z",
        "uid": lambda: str(R.randint(1000, 99999)),
        "price": lambda: (
            f"{R.randint(3, 900)},{R.randint(0, 99):02}"
            if lang not in ("en", "hi", "ja", "zh", "ko")
            else f"{R.randint(3, 900)}.{R.randint(0, 99):02}"
        ),
    }[kind]()


def value(lang, kind, variant):
    country = variant or HOME_COUNTRY[lang]
    if kind == "phone":
        return phone(lang, country)
    if kind == "email":
        return email(lang)
    if kind == "address":
        if variant and variant.endswith("ml"):
            return address(lang, variant[:-2] or HOME_COUNTRY[lang], True)
        if variant == "ine":
            return address(lang, "in", "en")
        return address(lang, country)
    if kind == "birth_date":
        style = variant or R.choice(["num", "num", "long"])
        if style.endswith("old"):
            return date(lang, style[:-3], day(1928, 1950))
        if style.endswith("teen"):
            return date(lang, style[:-4], day(2007, 2008))
        return date(lang, style, day())
    simple = {
        "national_id": lambda: NATIONAL[country](),
        "passport": lambda: until(
            lambda: mask(R.choice(PASSPORT[country])), lambda v: country != "pl" or pl_passport_ok(v)
        ),
        "driving_licence": lambda: licence(country),
        "card": card,
        "iban": lambda: make_iban(country),
        "bank_account": lambda: bank(country),
        "medical_number": lambda: medical(country),
        "secret": lambda: secret(variant),
        "ip_address": lambda: ip(variant),
        "mac_address": mac,
        "wallet": wallet,
        "biometric": biometric,
        "url": url,
    }
    return simple[kind]()


SLOT = re.compile(r"<(=[a-z_]+|~[a-z]*|[a-z_]+)(?::([a-z0-9]+))?((?:\|[^<>|]*)*)>")


# the article before a condition is no part of its span
ARTICLE = {
    "de": "(eine[rs]?|ein) ",
    "fr": "(une|un|la|le) |l'",
    "it": "(una|un|la|il|lo) |l'",
    "nl": "(een|de) ",
    "en": "(an|a) ",
    "sv": "(en|ett) ",
    "es": "(un|una) ",
    "pt": "(um|uma) ",
}


def fill(lang, template):
    out, spans, pos, length = [], [], 0, 0
    template = template.replace("\\n", "\n")
    for m in SLOT.finditer(template):
        lead = template[pos : m.start()]
        out.append(lead)
        length += len(lead)
        pos = m.end()
        head, variant, options = m[1], m[2], m[3].split("|")[1:]
        if head.startswith("~"):
            text, kind = (R.choice(options) if options else filler(lang, head[1:])), None
        elif head.startswith("="):
            text, kind = R.choice(options), head[1:]
        else:
            text, kind = value(lang, head, variant), head
        if kind == "diagnosis":
            article = re.match(ARTICLE.get(lang, "(?!)"), text)
            if article:
                out.append(article[0])
                length += article.end()
                text = text[article.end() :]
        if kind:
            assert kind in TYPES, kind
            spans.append({"start": length, "end": length + len(text), "type": kind})
        out.append(text)
        length += len(text)
    out.append(template[pos:])
    return {"text": "".join(out), "language": lang, "spans": spans}


def build(lang):
    lines = [
        x
        for x in (HERE / "templates" / f"{lang}.txt").read_text(encoding="utf-8").splitlines()
        if x.strip() and not x.startswith("# ")
    ]
    assert len(lines) == len(set(lines)), f"{lang}: a template is there twice"
    seen, rows = set(), []
    for line in lines:
        negative = line.startswith("- ")
        for _ in range(USES):
            for _ in range(6):
                row = fill(lang, line[2:] if negative else line)
                if row["text"] not in seen:
                    break
            else:
                continue
            if negative != (not row["spans"]):
                raise ValueError(f"{lang}: sign of template: {line}")
            seen.add(row["text"])
            rows.append(row)
    R.shuffle(rows)
    return rows


def dump(row):
    """One JSON line. One character of each secret is written as a JSON escape, so that
    scanners of repositories do not take a made-up key for a leaked one; the text read back is the same."""
    pieces, pos = [], 0
    for s in row["spans"]:
        if s["type"] == "secret":
            cut = max(s["start"] + 1, row["text"].find("PRIVATE", s["start"], s["end"]))
            pieces += [json.dumps(row["text"][pos:cut], ensure_ascii=False)[1:-1], f"\\u{ord(row['text'][cut]):04x}"]
            pos = cut + 1
    pieces.append(json.dumps(row["text"][pos:], ensure_ascii=False)[1:-1])
    line = (
        '{"text": "'
        + "".join(pieces)
        + '", "language": '
        + json.dumps(row["language"])
        + ', "spans": '
        + json.dumps(row["spans"])
        + "}"
    )
    assert json.loads(line) == row
    return line


# ---------------------------------------------------------------- checking
def check_value(lang, kind, v):
    if kind == "card":
        return luhn.is_valid(re.sub(r"\D", "", v))
    if kind == "iban":
        return std_iban.is_valid(v)
    if kind == "national_id":
        if lang == "es":
            v = v.replace(".", "")
        return any(c(v) if callable(c) else std(c).is_valid(v) for c in NATIONAL_CHECK[lang])
    if kind == "phone":
        return any(phone_ok(v, c) for c in PHONE_REGIONS[lang].split())
    if kind == "email":
        return bool(re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", v, re.A))
    if kind == "ip_address":
        return bool(ipaddress.ip_address(v))
    if kind == "mac_address":
        return len(re.sub(r"[^0-9a-fA-F]", "", v)) == 12
    if kind == "wallet":
        return wallet_ok(v)
    if kind == "birth_date":
        return bool(re.search(r"(19|20)\d\d|昭和|平成|^\d\d\D\d\d\D\d\d$", v))
    if kind == "bank_account" and lang in ("pl", "es", "zh", "nl"):
        digits = re.sub(r"\D", "", v)
        return {
            "pl": lambda: std_iban.is_valid("PL" + digits),
            "es": lambda: std("es.ccc").is_valid(digits),
            "zh": lambda: luhn.is_valid(digits),
            "nl": lambda: sum(int(c) * (9 - i) for i, c in enumerate(digits)) % 11 == 0,
        }[lang]()
    if kind == "medical_number" and lang == "de":
        return v[-1] == kvnr_check(v[:-1])
    if kind == "driving_licence" and lang == "es":
        return std("es.dni").is_valid(v)
    if kind == "passport" and lang == "pl":
        return pl_passport_ok(v)
    if kind == "secret" and v[:4] in ("ghp_", "gho_", "ghs_", "npm_"):
        return base62(binascii.crc32(v[4:34].encode()), 6) == v[34:]
    return True


def check():
    faults, total, texts = [], 0, set()
    assert keccak256(b"").hex().startswith("c5d2460186f7233c")
    for lang in LANGUAGES:
        path = HERE / f"{lang}.jsonl"
        if not path.exists():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n")[:-1], 1):
            row = json.loads(line)
            total += 1
            where = f"{path.name}:{number}"
            if set(row) != {"text", "language", "spans"} or row["language"] != lang:
                faults.append(f"{where}: keys")
            if row["text"] in texts:
                faults.append(f"{where}: text twice")
            texts.add(row["text"])
            last = 0
            if re.search(r"<[=~]|<[a-z_]+(:\w+)?>", row["text"]) and any(f"<{t}" in row["text"] for t in TYPES):
                faults.append(f"{where}: slot left open")
            for s in row["spans"]:
                v = row["text"][s["start"] : s["end"]]
                if s["type"] not in TYPES or not 0 <= s["start"] < s["end"] <= len(row["text"]) or s["start"] < last:
                    faults.append(f"{where}: span {s}")
                elif v != v.strip() or not v:
                    faults.append(f"{where}: blank at the edge of {v!r}")
                elif not check_value(lang, s["type"], v):
                    faults.append(f"{where}: {s['type']} {v!r} is not valid")
                last = s["end"]
    return total, faults


def table():
    per = {}
    for lang in LANGUAGES:
        path = HERE / f"{lang}.jsonl"
        if path.exists():
            per[lang] = [json.loads(x) for x in path.read_text(encoding="utf-8").split("\n")[:-1]]
    lines = ["| type | " + " | ".join(per) + " | spans | texts |", "|---" * (len(per) + 3) + "|"]
    for t in TYPES:
        counts = [Counter(s["type"] for r in rows for s in r["spans"])[t] for rows in per.values()]
        holding = sum(any(s["type"] == t for s in r["spans"]) for rows in per.values() for r in rows)
        lines.append(f"| {t} | " + " | ".join(map(str, counts)) + f" | {sum(counts)} | {holding} |")
    allrows = [r for rows in per.values() for r in rows]
    lines.append("| texts | " + " | ".join(str(len(rows)) for rows in per.values()) + f" | | {len(allrows)} |")
    lines.append(
        "| of these without a value | "
        + " | ".join(str(sum(not r["spans"] for r in rows)) for rows in per.values())
        + f" | | {sum(not r['spans'] for r in allrows)} |"
    )
    return "\n".join(lines)


def main():
    if sys.argv[1:] != ["check"]:
        for lang in LANGUAGES:
            if (HERE / "templates" / f"{lang}.txt").exists():
                R.seed(f"20261115-{lang}")
                (HERE / f"{lang}.jsonl").write_text(
                    "".join(dump(r) + "\n" for r in build(lang)), encoding="utf-8", newline="\n"
                )
        readme = HERE / "README.md"
        if readme.exists():
            head, _, rest = readme.read_text(encoding="utf-8").partition("<!-- counts -->")
            readme.write_text(
                head
                + "<!-- counts -->\n"
                + table()
                + "\n<!-- end of counts -->"
                + rest.partition("<!-- end of counts -->")[2],
                encoding="utf-8",
            )
    total, faults = check()
    print("\n".join([*faults, f"{total} texts, {len(faults)} faults"]))
    print(table())
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
