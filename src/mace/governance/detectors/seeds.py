"""Secrets that other rules pass by: authenticator seeds, passwords in compounds and other languages, more known tokens.

Pure. A seed is base32 behind a word for it, or inside an `otpauth` address. A password counts after the word and a sign
or a verb; prose after the word is none.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.credentials import looks_random
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases
from mace.governance.detectors.late import late
from mace.governance.detectors.passwords import _PROSE
from mace.governance.detectors.view import View, run_of

_GRADE = late(r"(?i)low|medium|high|.*\s.*")  # what grades a field, and sentences
RULES = {
    "secret.authenticator_seed": Rule("access_token", 1),
    "secret.more_tokens": Rule("access_token", 1),
    "password.said": Rule("password", 1),
    "password.own_field": Rule("password", 1),
}

_SEED = Cue(
    phrases(
        """
        authenticator*, totp*, otp*, 2fa*, two factor*, two-factor*, mfa*, google authenticator, setup key*, base32*,
        seed, zwei-faktor*, zweifaktor*, authentifizierung*, verification en deux, autenticacion*, autenticazione*,
        autenticacao*, otpauth*, hotp*, second factor*, 二要素*, 二段階*, 认证器*, 验证器*, 双重*, 인증 앱*, 2단계*,
        tweestaps*, dwuskladnik*, tvafaktor*
        """
    ),
    fields=[
        "totp(?:_?(?:secret|seed|key))?",
        "otp_?(?:secret|seed|key)",
        "mfa_?(?:secret|seed|key)",
        "two_?factor_?\\w{0,8}",
        "authenticator_?\\w{0,8}",
        "2fa_?\\w{0,8}",
    ],
)
_BASE32 = late(
    r"(?<![A-Za-z0-9])(?:[A-Z2-7]{16,64}|[A-Z2-7]{4}(?:[ \-][A-Z2-7]{4}){3,15}|"
    r"[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})={0,6}(?![A-Za-z0-9])"
)
_API = Cue(
    phrases(
        """
        api-schlussel*, api schlussel*, cle api, cle d'api, cle secrete, clave api, clave de api, clave secreta,
        chiave api, chiave segreta, chave api, chave de api, chave secreta, api-sleutel*, api sleutel*,
        geheime sleutel*, klucz api, klucz*, api-nyckel*, api nyckel*, hemlig nyckel*, api anahtar*, anahtar*,
        gizli anahtar*, zugriffstoken*, zugangstoken*, zugriffsschlussel*, geheimer schlussel*, geheimschlussel*,
        jeton*, token*, api key*, api-key*, apikey*, api_key*, access key*, secret key*, secret, apiキー,
        アクセスキー, アクセストークン, トークン, シークレット, 秘密鍵, api密钥, 密钥, 令牌, 访问令牌, api 키, api키,
        비밀 키, 액세스 토큰, 토큰, कुंजी, टोकन, api कुंजी, recovery code*, backup code*, wiederherstellungs*,
        code de recuperation
        """
    )
)
_API_LINK = late(
    r"[^\W\d_]{0,14}(?:[\s,:]{1,2}[^\W\d_][\w'’\-]{0,14}){0,4}[\"'*`\])]{0,3}\s{0,2}(?:=>|"
    r"->|:=|[:：=]|—|–|\b(?:is|ist|lautet|est|es|e|to|jest|ar)\b|は|是|为|는|은|है)?"
    r"\s{0,3}[\"'`「«<]?(?<![A-Za-z0-9_\-])([A-Za-z0-9+/_\-.=~]{12,512})"
)
_PASSWORD = Cue(
    phrases(
        """
        password*, passwd*, passwort*, kennwort*, passphrase*, passcode*, pwd, pw, contrasena*, clave*, senha*,
        palavra-passe, palavra passe, mot de passe, mdp, wachtwoord*, haslo*, hasło*, hasla, heslo*, parola*,
        password, losenord*, lösenord*, passord*, adgangskode*, kodeord*, salasana*, jelszo*, sifre*, şifre*,
        пароль*, кодовое слово, κωδικ*, 密码*, 密碼*, パスワード*, 暗証番号*, 비밀번호*, 암호*, 비번*, zugangscode*,
        access code*, passkey*, code d'acces, codigo de acceso, codice di accesso, codigo de acesso, toegangscode*,
        kod dostepu, atkomstkod*, åtkomstkod, erisim kodu, アクセスコード*, 验证码*, 인증번호*, security code*,
        login code*, wlan-schlussel*, wifi key, पिन, ओटीपी, kata sandi, mat khau, mật khẩu, รหัสผ่าน, पासवर्ड,
        كلمة السر, סיסמה, pin*, geheimzahl*
        """
    )
)
_FIELD = late(
    r"(?:^|_)\w{0,16}(?:password|passwort|passwd|kennwort|contrasena|senha|wachtwoord|"
    r"haslo|losenord|sifre|пароль|密码|パスワード|비밀번호)(?:_\w{0,8})?$"
)
CUES = (_SEED, _API, _PASSWORD)

_LINK = late(
    r"[^\W\d_]{0,14}(?:[\s_\-](?:for|to|of|fur|de|para|do|na|till|pa|hier|here|wifi|wlan|"
    r"wi-fi|konta|my|del|della|dla)\b[\w.@\- ]{0,20}?)?"
    r"[\"'*`\])]{0,3}\s{0,2}(?:=>|->|:=|[:：=]|\b(?:is|was|ist|lautet|es|est|e|to|jest|ar|"
    r"on|er|it's)\b|è|é|är|は、?|是|为|為|은|는|이|가|—|–)\s{0,3}"
    r"|[^\W\d_]{0,6}\s{1,2}(?=\S{0,40}[0-9])(?=\S{0,40}[^\W\d_])(?=\S{0,40}[_!@#$%&*?+\-])",
    re.I,
)
_VALUE = late(r"[\"'`「«]?((?:[^\s\"'`<>」»\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3]|<(?!/)){4,128})")
_KNOWN = late(
    r"(?<![A-Za-z0-9])(?:sk-or-v1-[0-9a-f]{40,80}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|"
    r"sntrys_[A-Za-z0-9+/=_\-]{40,200}|figd_[A-Za-z0-9_\-]{30,60}|"
    r"ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{40,50}|rubygems_[0-9a-f]{48}|"
    r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}|SK[0-9a-f]{32}|"
    r"[0-9a-f]{32}-us[0-9]{1,2}|sk-svcacct-[A-Za-z0-9_\-]{24,250}|"
    r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|EAA[A-Za-z0-9]{60,250}|"
    r"ABSK[A-Za-z0-9+/=]{40,200}|amzn\.mws\.[0-9a-f\-]{36}|"
    r"v2\.local\.[A-Za-z0-9_\-]{60,400}|r8_[A-Za-z0-9]{37}|tvly-[A-Za-z0-9_\-]{24,60}|"
    r"pplx-[A-Za-z0-9]{40,60}|fw_[A-Za-z0-9]{20,40}|sbp_[0-9a-f]{40}|"
    r"cfut_[A-Za-z0-9]{30,60}|do[or]_v1_[0-9a-f]{64})(?![A-Za-z0-9])"
)
# The signs that all of them are made of; none of them is shorter.
SIGNS = run_of(r"A-Za-z0-9+/=_.\-")
SHORTEST = 20
_KNOWN_WORDS = frozenset(
    [
        "sk",
        "glsa",
        "sntrys",
        "figd",
        "ntn",
        "secret",
        "rubygems",
        "xkeysib",
        "us",
        "svcacct",
        "amzn",
        "tvly",
        "pplx",
        "fw",
        "sbp",
        "cfut",
        "doo",
        "dor",
        "local",
    ]
)
_CODE = late(
    r"^[A-Za-z_][\w.]*[(\[]|^[$%{<]|^[*x•.]{3,}$|^\[redacted|^(?:os|self|config|settings|"
    r"env|process|request|args|params|this)\.|^https?:"
)


def may(view: View) -> bool:
    """Say whether a token of a known form may stand in the text."""
    if len(view.text) < 20:
        return False
    text = view.text
    return not _KNOWN_WORDS.isdisjoint(view.tokens) or "SK" in text or "EAA" in text or "ABSK" in text or "pat" in text


def find(view: View) -> Iterator[Hit]:
    """Yield the seeds and passwords in a view."""
    text = view.text
    for start, end in view.runs(SIGNS, SHORTEST) if may(view) else ():
        for match in _KNOWN.finditer(text, start, end):
            yield Hit("secret.more_tokens", *match.span())
    if _SEED.names(view.field) or _SEED.in_text(view):
        for match in _BASE32.finditer(text):
            said = re.sub("[ \\-=]", "", match.group()).upper()
            if len(set(said)) >= 6 and _SEED.near(view, *match.span(), before=72, after=24) and _drawn(said):
                yield Hit("secret.authenticator_seed", *match.span())
    if view.field and _FIELD.search(view.field):
        value = text.strip()
        if 3 <= len(value) <= 256 and _is_password(value) and not _GRADE.fullmatch(value):
            start = text.index(value)
            yield Hit("password.own_field", start, start + len(value))
    if _API.in_text(view):
        for _, end in _API.occurrences(view):
            key = _API_LINK.match(text, end, end + 600)
            if key is not None and looks_random(value := key[1].rstrip(".=") or key[1]):
                yield Hit("secret.more_tokens", key.start(1), key.start(1) + len(value))
    if _PASSWORD.in_text(view):
        for at, end in _PASSWORD.occurrences(view):
            link = _LINK.match(text, end, end + 70)
            value_match = _VALUE.match(text, link.end()) if link is not None else None
            if value_match is None:
                continue
            value = re.sub(r"[)\]},;:\"'`。、，.]+$", "", value_match[1])
            if (
                len(value) >= 4
                and _is_password(value)
                and _looks_made(value, view.lower[at:end], link is not None and _ends(text, link, value_match))
            ):
                yield Hit("password.said", value_match.start(1), value_match.start(1) + len(value))


def _ends(text: str, link: re.Match[str], value: re.Match[str]) -> bool:
    """Say whether a value stands alone behind a sign: prose goes on."""
    return (
        ":" in link.group() + "："[:0]
        and re.match(r"[\"'`.,;]{0,2}\s*(?:\Z|\n|[A-Z(])", text[value.end() : value.end() + 8]) is not None
    )


def _is_password(value: str) -> bool:
    return value.lower() not in _PROSE and _CODE.search(value) is None


def _looks_made(value: str, said: str, signed: bool) -> bool:
    """Say whether a value is no prose: letters and digits or signs, or digits alone behind a word for a PIN."""
    if value.isdigit():
        return len(value) <= 8 and not said.startswith(("password", "passwort"))
    if value.isalpha():
        return signed and len(value) >= 6 and value.isascii()
    return (
        any(not char.isalpha() for char in value)
        and any(char.isalnum() for char in value)
        and (len(value) >= 6 or any(map(str.isdigit, value)))
    )


def _drawn(said: str) -> bool:
    return any(char.isdigit() for char in said) or looks_random(said + "77") or not re.search("[AEIOU]{3}", said)
