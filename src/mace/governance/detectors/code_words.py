"""Words that lead to passwords, codes and keys, and words that are said about them. Tables and nothing else.

Lower case without accents that ASCII letters carry; a trailing `*` lets a word go on.
"""

from mace.governance.detectors.findings import phrases, words

PASSWORD_WORDS = phrases(
    """
    password*, passwd*, pwd*, passw, pw, pass, passphrase*, passcode*, passkey*, pass code*, pass word*,
    wifi key*, wlan schlussel*, wi-fi key*, network key*, login credentials, credentials, creds, secret word*,
    magic word*, safe word*, passwort*, kennwort*, wlan-schlussel*, wlan-key*, wlan key*, netzwerkschlussel*,
    zugangsdaten*, losungswort*, codewort*, masterpasswort*, geheimwort*, mot de passe, mots de passe, mdp*,
    cle wifi, cle wi-fi, code wifi, mot secret, code d'acces*, contrasena*, contrasenia*, clave*, password del,
    clave del wifi, palabra secreta, contra, pass del, parola d'ordine, parola chiave*, pwd, chiave wifi,
    chiave di rete, credenziali*, parola segreta, codice di accesso*, senha*, palavra-passe*, palavra passe*,
    palavra chave, chave do wifi, chave wifi, palavra secreta, codigo de acesso*, codigo de acceso*, wachtwoord*,
    ww, wifi-code*, wificode*, inloggegevens*, toegangscode*, geheim woord, haslo*, hasło*, hasla*, hasła*,
    hasłem*, dane logowania, slowo klucz, losenord*, losen, losenordet*, inloggning*, kodord*, adgangskode*,
    kodeord*, passord*, salasana*, heslo*, jelszo*, parola*, sifre*, sifrem*, şifre*, giris bilgileri*, parolam*,
    пароль*, пароля*, паролем*, κωδικ*, パスワード*, パスフレーズ*, 合言葉*, ログイン情報*, pw は, 密码*, 密碼*,
    口令*, 登录密码*, 비밀번호*, 비번*, 암호*, 패스워드*, पासवर्ड*, पासकोड*,
    पास वर्ड*, kata sandi*, mat khau*, mật khẩu*, รหัสผ่าน*, كلمة المرور,
    كلمة السر, كلمة مرور, كلمة سر, كلمه السر, كلمه المرور, باسورد*, الباسورد,
    باسوورد*, رمز المرور, סיסמה*
    """
)

CODE_WORDS = phrases(
    """
    pin, pin code*, pincode*, pin number*, pin no*, atm pin*, card pin*, sim pin*, phone pin*, puk*, puk code*,
    cvv*, cvc*, cvv2, alarm code*, door code*, gate code*, entry code*, access code*, unlock code*, lock code*,
    safe code*, keypad code*, locker code*, garage code*, building code is, security code*, keypad is, keypad,
    safe opens with, safe combination*, combination is, lock combination*, verification code*,
    confirmation code is, one-time code*, one time code*, one-time password*, one time password*, otp*,
    login code*, authentication code*, 2fa code*, sms code*, passcode*, lockbox code*, lockbox*, screen lock*,
    voicemail pin*, pin-code*, pin-nummer*, pinnummer*, geheimzahl*, geheimnummer*, geheimcode*, turcode*,
    tuercode*, turkode*, zugangscode*, alarmcode*, entsperrcode*, sperrcode*, freischaltcode*, bestatigungscode*,
    tan, mtan, sicherheitscode*, prufziffer der karte, torcode*, safecode*, tresorcode*, zahlencode*,
    einmalcode*, einmalpasswort*, verifizierungscode*, code pin, code de la porte, digicode*, code d'entree,
    code d'acces*, code du portail, code de l'immeuble, code de l'alarme, code alarme, code du coffre,
    code de deverrouillage, code secret, code confidentiel, code de carte, code de la carte,
    code de verification, code de securite, code de validation, code a usage unique, cryptogramme, code sms,
    code bancaire, code de ma carte, codigo pin, clave pin, pin de, nip, nip de, codigo de la alarma,
    codigo de alarma, codigo de la puerta, codigo de acceso, codigo de seguridad, codigo de verificacion,
    codigo del portal, codigo de desbloqueo, codigo de un solo uso, codigo secreto, clave del cajero,
    clave de la tarjeta, clave de la alarma, combinacion de la caja, combinacion del, codigo del candado,
    codice pin, pin del, pin della, pin bancomat*, codice bancomat, codice di sblocco, codice del cancello,
    codice della porta, codice allarme, codice dell'allarme, codice di sicurezza, codice segreto,
    codice di verifica, codice otp, codice cancello, codice portone, combinazione della, combinazione del,
    codice cassaforte, pin do, pin da, codigo do alarme, codigo da porta, codigo do portao, codigo de seguranca,
    codigo de verificacao, codigo de desbloqueio, codigo do cofre, senha do cofre, senha do cartao,
    senha do banco, senha do alarme, senha do celular, codigo multibanco, deurcode*, toegangscode*,
    code van het slot, code van de deur, code van de kluis, code van het alarm, slotcode*, ontgrendelcode*,
    beveiligingscode*, verificatiecode*, kluiscode*, poortcode*, kod pin, pin do karty, pin karty, pinu,
    kod do drzwi, kod do alarmu, kod do domofonu, kod do bramy, kod do furtki, kod alarmu, kod domofonu,
    kod dostepu, kod bezpieczenstwa, kod weryfikacyjny, kod sms, kod blokady, kod odblokowania, kod do sejfu,
    kod do klatki, pinkod*, pin-kod*, portkod*, larmkod*, dorrkod*, grindkod*, atkomstkod*, upplasningskod*,
    sakerhetskod*, verifieringskod*, engangskod*, kod till, koden till, koden till kassaskapet, kassaskapskod*,
    skarmlas*, kart sifre*, kart şifre*, banka sifre*, bankamatik sifre*, atm sifre*, kapı kodu*, kapı sifre*,
    bina kodu*, alarm kodu*, alarm sifre*, guvenlik kodu*, dogrulama kodu*, onay kodu*, sms kodu*, pin kodu*,
    kilit sifre*, kasa sifre*, tek kullanımlık*, telefon sifre*, bankacılık sifre*, sifrem*, sifresi*, 暗証番号*,
    暗証コード*, 認証コード*, 確認コード*, 認証番号*, ロック解除*, 解除コード*, ワンタイム*, セキュリティコード*,
    pin コード*, オートロック*, 暗号番号*, 金庫の番号*, 验证码*, 驗證碼*, 校验码*, 动态码*, 门禁密码*, 门锁密码*,
    支付密码*, 取款密码*, 银行卡密码*, 卡密码*, 手机密码*, 锁屏密码*, 保险柜密码*, 开锁密码*, 安全码*, pin 码*,
    密码*, 密碼*, 인증번호*, 인증 번호*, 인증코드*, 현관 비밀번호*, 도어락*, 비밀번호*, 비번*, 공동현관*,
    카드 비밀번호*, 잠금 해제*, 보안코드*, 보안 코드*, pin 번호*, otp 번호*, 핀번호*,
    पिन*, एटीएम पिन*, ओटीपी*, यूपीआई पिन*, पिन कोड*, लॉकर का कोड*, अलार्म कोड*,
    दरवाजे का कोड*, गेट का कोड*, लॉक का कोड*, तिजोरी का कोड*, सुरक्षा कोड*,
    सत्यापन कोड*, वेरिफिकेशन कोड*, सीवीवी*, пин*, пин-код*, код от*, код домофона*,
    код подтверждения*, код из смс*, кодовое слово, смс-код*, код доступа*, код безопасности*, одноразов*,
    رمز التحقق, كود التحقق, رمز التأكيد, رمز الأمان, رمز الدخول, رمز المرور,
    رمز التفعيل, كود التفعيل, كود الدخول, الرقم السري, رقم سري, الرمز السري,
    رمز سري, رقمي السري, رمز بن, رمز pin, رمز otp, رمز البطاقة
    """
)

LOGIN_WORDS = phrases(
    """
    login, inlogg, log in, logins, sign in, user, username, user name, credentials, creds, account login,
    benutzer, benutzername, zugang, zugangsdaten, anmeldung, identifiant, identifiants, utilisateur, connexion,
    usuario, credenciales, acceso, utente, credenziali, accesso, utilizador, credenciais, acesso, gebruiker,
    gebruikersnaam, inloggegevens, inlog, uzytkownik, uzytkownika, logowanie, dane logowania, anvandare,
    anvandarnamn, inloggning, kullanici, kullanıcı, giris
    """
)

API_WORDS = phrases(
    """
    api key*, api-key*, apikey*, api token*, api secret*, api-token*, secret key*, access key*, access token*,
    auth token*, client secret*, token, secret, bearer, webhook secret*, private token*, personal token*,
    encryption key*, license key*, private key*, cle privee*, clave privada*, chiave privata*, chave privada*,
    privater schlussel*, privatschlussel*, klucz prywatny*, privesleutel*, prive sleutel*, privat nyckel*,
    ozel anahtar*, 私钥*, 私鑰*, 개인 키*, 개인키*, निजी कुंजी*, recovery code*,
    recovery key*, backup code*, backup key*, activation key*, product key*, api-schlussel*, api schlussel*,
    apischlussel*, zugriffstoken*, zugangstoken*, geheimer schlussel*, geheimschlussel*, wiederherstellungs*,
    lizenzschlussel*, cle api, cle d'api, cle secrete, cle d'acces, cle de licence, jeton*, jeton d'acces*,
    code de recuperation*, clave api, clave de api, clave de la api, clave secreta, llave api, llave de api,
    token de acceso*, token de, codigo de recuperacion*, chiave api, chiave dell'api, chiave segreta,
    chiave di accesso, token di accesso*, codice di recupero*, chave api, chave de api, chave da api,
    chave secreta, chave de acesso, token de acesso*, codigo de recuperacao*, api-sleutel*, api sleutel*,
    geheime sleutel*, toegangstoken*, toegangssleutel*, herstelcode*, klucz api, klucza api, klucz dostepu,
    klucz*, token dostepu*, kod odzyskiwania*, api-nyckel*, api nyckel*, apinyckel*, hemlig nyckel*,
    atkomsttoken*, aterstallningskod*, api anahtar*, gizli anahtar*, erisim anahtar*, erisim belirtec*,
    erisim token*, kurtarma kodu*, api キー*, apiキー*, アクセスキー*, アクセストークン*, トークン*,
    シークレット*, 秘密鍵*, リカバリーコード*, 復旧コード*, api 密钥*, api密钥*, 密钥*, 密鑰*, 访问令牌*, 令牌*,
    恢复码*, 访问密钥*, api 키*, api키*, 비밀 키*, 비밀키*, 액세스 토큰*, 액세스 키*, 토큰*, 복구 코드*,
    복구코드*, एपीआई की*, एपीआई कुंजी*, api की*, api कुंजी*, कुंजी*, टोकन*,
    एक्सेस टोकन*, सीक्रेट*, रिकवरी कोड*, ключ api*, api-ключ*, api ключ*, токен*,
    секретный ключ*, ключ доступа*, секрет*, лицензионн* ключ*, ключ активации*,
    مفتاح api, مفتاح الواجهة, المفتاح السري, مفتاح سري, رمز الوصول, مفتاح الوصول,
    توكن*, التوكن, المفتاح الخاص, مفتاح خاص, مفتاح الترخيص
    """
)

# What may stand between one of the words and its value.
LINKS = (
    r"is|was|are|it's|its|my|our|the|a|an|to|for|of|on|at|in|new|old|now|currently|set|changed|reset|here|here's|still|"
    r"wifi|wi-fi|wlan|router|network|guest|laptop|computer|phone|card|account|login|admin|user|bank|atm|code|number|"
    r"no|nr|vpn|"
    r"email|mail|netflix|pc|key|word|"
    r"ist|lautet|war|sind|das|der|die|dem|den|des|mein\w{0,2}|unser\w{0,2}|neue\w?|fur|furs|zum|zur|vom|von|im|ins|"
    r"auf|karte|"
    r"konto|meiner|ec-karte|kreditkarte|handy|geandert|jetzt|aktuell|heisst|heißt|"
    r"est|c'est|etait|le|la|les|l'|du|de|d'|des|mon|ma|mes|notre|pour|par|au|nouveau|nouvelle|change|ordinateur|"
    r"compte|carte|porte|"
    r"es|era|el|del|al|los|mi|mis|nuestra|nueva|nuevo|para|por|cambiada|tarjeta|cuenta|correo|api|"
    r"e|il|lo|dell|della|dello|dei|delle|mio|mia|nostra|nuova|nuovo|per|carta|casa|ora|sara|"
    r"o|os|as|do|da|dos|das|meu|minha|nossa|nova|novo|agora|cartao|conta|celular|na|"
    r"het|een|van|mijn|onze|ons|nieuwe|voor|naar|bij|op|nu|"
    r"jest|to|moj|moje|nasze|nowe|nowy|dla|w|z|od|teraz|brzmi|"
    r"ar|var|mitt|min|vart|nytt|nya|till|pa|for|hemma|ny|"
    r"benim|yeni|icin|su|bu|soyle|"
    r"は|が|の|も|です|番号|コード|是|为|為|的|号|码|改成|改为|는|은|이|가|을|를|의|"
    r"है|का|की|के|को|में|पर|मेरा|मेरी|नया|नंबर|कोड|यह|हैं|это|мой|от|для|к|новый|код|карты|карте|телефона|почты|вайфая|вай-фая|роутера|компьютера|ноутбука|сайта|портала|"
    r"аккаунта|кабинета|сим-карты|банка|из|смс|теперь|такой|наш|у|двери|сейфа|домофона|подъезда|сигнализации|"
    r"هي|هو|الخاصة|الخاص|بي|بحسابي|للحساب|لحسابي|الحساب|حسابي|الواي|فاي|الشبكة|شبكة|البريد|الإيميل|للبطاقة|البطاقة|بطاقتي|للباب|"
    r"الباب|للجهاز|الجهاز|الجديدة|الجديد|الآن|في|على|إلى|تم|الموقع|للموقع|للراوتر|الراوتر|لدخول|الدخول|بالنظام|النظام|api|pin"
)

# What is said about passwords, in sentences that tell none.
PROSE = frozenset(
    words(
        """
        abgelaufen falsch ungultig sicher unsicher schwach stark korrekt richtig vergessen geandert gesperrt pflicht
        gespeichert verschlusselt bekannt leer erforderlich notwendig geheim zuruckgesetzt gultig mindestens wieder
        leider nicht immer bitte danke incorrect incorrecte invalide expire oublie faible obligatoire requis perdu
        change incorrecta invalida caducada olvidada segura debil obligatoria requerida correcta vencida errata
        scaduta sbagliata dimenticata sicura debole obbligatoria corretta incorreta errada expirada esquecida fraca
        forte obrigatoria necessaria onjuist verlopen vergeten zwak sterk verplicht ongeldig veilig niet juist bledne
        niepoprawne wygaslo zapomniane slabe silne wymagane poprawne nieprawidlowe felaktigt ogiltigt glomt svagt
        starkt fel utgatt yanlis yanlış hatali gecersiz gecerli zayif zorunlu unutuldu manager managers management
        protection policy policies field fields reset hashing generator strength prompt expiry changes update required
        requirements length please again before after because should would could cannot doesn't didn't stays public
        private shared stored leaked breach breaches
        """
    )
)

SEED_WORDS = phrases(
    """
    recovery phrase*, seed phrase*, secret phrase*, mnemonic*, wallet phrase*, backup phrase*, seed words,
    wiederherstellungsphrase*, seed-phrase*, phrase de recuperation*, phrase secrete*, phrase mnemonique*,
    mots de recuperation*, frase semilla*, frase de recuperacion*, palabras semilla*, frase secreta*,
    frase di recupero*, frase seed*, parole di recupero, frase semente*, frase de recuperacao*,
    palavras de recuperacao*, herstelzin*, herstelwoorden*, geheime zin*, fraza odzyskiwania*, fraza seed*,
    slowa odzyskiwania, aterstallningsfras*, seedfras*, kurtarma ifadesi*, kurtarma kelimeleri*,
    tohum kelimeler*, リカバリーフレーズ*, シードフレーズ*, 復元フレーズ*, ニーモニック*, 助记词*, 助記詞*,
    恢复短语*, 种子短语*, 복구 구문*, 복구 문구*, 시드 문구*, 시드 구문*, 니모닉*,
    रिकवरी फ्रेज*, सीड फ्रेज*, निमोनिक*, сид-фраз*, фраза восстановления,
    passphrase*, pass phrase*
    """
)
