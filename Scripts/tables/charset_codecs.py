"""Python's codec for each charset of TsubameWire, and what WHATWG's indexes have otherwise.

`make-charset-tables.py` writes the tables from it, `check-charsets.py` checks the decoders by it. The differences are
those from https://encoding.spec.whatwg.org/#indexes in its state of 2024, which has the characters of GB 18030-2022.
"""
import functools

CODECS = {
    "UTF-8": "utf-8",
    "UTF-16": "utf-16",
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "UTF-32LE": "utf-32-le",
    "UTF-32BE": "utf-32-be",
    "ISO-8859-1": "latin-1",
    "windows-1252": "cp1252",
    "IBM866": "cp866",
    "ISO-8859-2": "iso8859_2",
    "ISO-8859-3": "iso8859_3",
    "ISO-8859-4": "iso8859_4",
    "ISO-8859-5": "iso8859_5",
    "ISO-8859-6": "iso8859_6",
    "ISO-8859-7": "iso8859_7",
    "ISO-8859-8": "iso8859_8",
    "ISO-8859-8-I": "iso8859_8",
    "ISO-8859-10": "iso8859_10",
    "ISO-8859-13": "iso8859_13",
    "ISO-8859-14": "iso8859_14",
    "ISO-8859-15": "iso8859_15",
    "ISO-8859-16": "iso8859_16",
    "KOI8-R": "koi8_r",
    "KOI8-U": "koi8_u",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "windows-874": "cp874",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1253": "cp1253",
    "windows-1254": "cp1254",
    "windows-1255": "cp1255",
    "windows-1256": "cp1256",
    "windows-1257": "cp1257",
    "windows-1258": "cp1258",
    "Shift_JIS": "cp932",
    "EUC-JP": "euc_jp",
    "ISO-2022-JP": "iso2022_jp_ext",
    "GBK": "gb18030",
    "GB18030": "gb18030",
    "Big5": "big5hkscs",
    "EUC-KR": "cp949",
}

SINGLE_BYTE = [name for name in CODECS
               if name.startswith(("IBM", "ISO-8859-", "KOI8-", "macintosh", "x-mac-", "windows-"))]

# Bytes of 80 to 9F that Microsoft has left free: Python has an error, WHATWG the control character of the same number.
FREE_IN_WINDOWS = {
    "windows-874": "81 82 83 84 86 87 88 89 8A 8B 8C 8D 8E 8F 90 98 99 9A 9B 9C 9D 9E 9F",
    "windows-1250": "81 83 88 90 98",
    "windows-1251": "98",
    "windows-1252": "81 8D 8F 90 9D",
    "windows-1253": "81 88 8A 8C 8D 8E 8F 90 98 9A 9C 9D 9E 9F",
    "windows-1254": "81 8D 8E 8F 90 9D 9E",
    "windows-1255": "81 8A 8C 8D 8E 8F 90 9A 9C 9D 9E 9F",
    "windows-1257": "81 83 88 8A 8C 90 98 9A 9C 9F",
    "windows-1258": "81 8A 8D 8E 8F 90 9A 9D 9E",
}

# Characters of JIS X 0208 that are Windows' in WHATWG's index.
JISX0208_OF_WINDOWS = {
    0x2141: "\uFF5E", 0x2142: "\u2225", 0x215D: "\uFF0D", 0x2171: "\uFFE0", 0x2172: "\uFFE1", 0x224C: "\uFFE2",
}

# GB 18030-2005 and -2022, where Python has GB 18030-2000; WHATWG's own are 80, for the euro, and A3A0, the space.
GB18030 = """
80:20AC A3A0:3000 A8BC:1E3F 8135F437:E7C7
A6D9:FE10 A6DA:FE12 A6DB:FE11 A6DC:FE13 A6DD:FE14 A6DE:FE15 A6DF:FE16 A6EC:FE17 A6ED:FE18 A6F3:FE19
FE59:9FB4 FE61:9FB5 FE66:9FB6 FE67:9FB7 FE6D:9FB8 FE7E:9FB9 FE90:9FBA FEA0:9FBB
"""

# Characters that are those of code page 950 and not of Python's Hong Kong set; the last, the euro, is an error there.
BIG5_OF_WINDOWS = "A145 A14E A1C2 A1E3 A1F2 A1F3 A241 A242 A244 A246 A247 A3E1"

# What HKSCS-2008 has added, from 877A to 87DF; Python has HKSCS-2004.
BIG5_OF_2008 = """
877A:3875 877B:21D53 877C:2369E 877D:26021 877E:3EEC 87A1:258DE 87A2:3AF5 87A3:7AFC 87A4:9F97 87A5:24161 87A6:2890D
87A7:231EA 87A8:20A8A 87A9:2325E 87AA:430A 87AB:8484 87AC:9F96 87AD:942F 87AE:4930 87AF:8613 87B0:5896 87B1:974A
87B2:9218 87B3:79D0 87B4:7A32 87B5:6660 87B6:6A29 87B7:889D 87B8:744C 87B9:7BC5 87BA:6782 87BB:7A2C 87BC:524F
87BD:9046 87BE:34E6 87BF:73C4 87C0:25DB9 87C1:74C6 87C2:9FC7 87C3:57B3 87C4:492F 87C5:544C 87C6:4131 87C7:2368E
87C8:5818 87C9:7A72 87CA:27B65 87CB:8B8F 87CC:46AE 87CD:26E88 87CE:4181 87CF:25D99 87D0:7BAE 87D1:224BC 87D2:9FC8
87D3:224C1 87D4:224C9 87D5:224CC 87D6:9FC9 87D7:8504 87D8:235BB 87D9:40B4 87DA:9FCA 87DB:44E1 87DC:2ADFF 87DD:62C1
87DE:706E 87DF:9FCB
"""

# Second places of characters that have another in Big5 or HKSCS, which were withdrawn; Python has errors.
BIG5_WITHDRAWN = """
8E69:7BB8 8E6F:7C06 8E7E:7CCE 8EAB:7DD2 8EB4:7E1D 8ECD:8005 8ED0:8028 8F57:83C1 8F69:84A8 8F6E:840F 8FCB:89A6
8FCC:89A9 8FFE:8D77 906D:90FD 907A:92B9 90DC:975C 90F1:97FF 91BF:9F16 9244:8503 92AF:5159 92B0:515B 92B1:515D
92B2:515E 92C8:936E 92D1:7479 9447:6D67 94CA:799B 95D9:9097 9644:975D 96ED:701E 96FC:5B28 9B76:7201 9B78:77D7
9B7B:7E87 9BC6:99D6 9BDE:91D4 9BEC:60DE 9BF6:6FB6 9C42:8F36 9C53:4FBB 9C62:71DF 9C68:9104 9C6B:9DF0 9C77:83CF
9CBC:5C10 9CBD:79E3 9CD0:5A67 9D57:8F0B 9D5A:7B51 9DC4:62D0 9EA9:6062 9EEF:75F9 9EFD:6C4A 9F60:9B2E 9F66:9F17
9FCB:50ED 9FD8:5F0C A063:880F A077:62CE A0D5:7468 A0DF:7162 A0E4:7250 C6CF:5EF4 C6D3:65E0 C6D5:7676 C6D7:96B6
C6DE:3003 C6DF:4EDD FA5F:5029 FA66:507D FABD:5305 FAC5:5344 FAD5:537F FB48:5605 FBB8:5A77 FBF3:5E75 FBF9:5ED0
FC4F:5F58 FC6C:60A4 FCB9:6490 FCE2:6674 FCF1:675E FDB7:6C9C FDB8:6E1D FDBB:6E2F FDF1:716E FE52:732A FE6F:745C
FEAA:74E9 FEDD:7809
"""


def strictly(data, codec):
    """The text, or the offset of the first error."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        return error.start


def pairs(text):
    """Bytes and the character that they are, both written in hexadecimal."""
    return {bytes.fromhex(unit): chr(int(scalar, 16)) for unit, scalar in (pair.split(":") for pair in text.split())}


def extensions_of_jisx0208():
    """The extensions of NEC and IBM, which only cp932 has, by row and cell in one number, counted from 2121."""
    result = {}
    for row in (13, 89, 90, 91, 92):
        for cell in range(1, 95):
            lead, trail = divmod((row - 1) * 94 + cell - 1, 188)
            shift_jis = bytes([lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)])
            character = strictly(shift_jis, "cp932")
            if isinstance(character, str):
                result[(0x20 + row) << 8 | 0x20 + cell] = character
    return result


def differences():
    """For each charset the units that are to be decoded otherwise than by Python; None is an error."""
    result = {name: {bytes([byte]): chr(byte) for byte in bytes.fromhex(free)} for name, free in FREE_IN_WINDOWS.items()}
    result["windows-1255"][b"\xCA"] = "\u05BA"
    result["KOI8-U"] = {b"\xAE": "\u045E", b"\xBE": "\u040E"}
    result["Shift_JIS"] = {bytes([byte]): None for byte in (0xA0, 0xFD, 0xFE, 0xFF)}
    jisx0208 = JISX0208_OF_WINDOWS | extensions_of_jisx0208()
    result["EUC-JP"] = {(place | 0x8080).to_bytes(2, "big"): text for place, text in jisx0208.items()}
    result["EUC-JP"][b"\x8F\xA2\xB7"] = "\uFF5E"
    result["ISO-2022-JP"] = {b"\x1B$B" + place.to_bytes(2, "big"): text for place, text in jisx0208.items()}
    result["GBK"] = result["GB18030"] = pairs(GB18030)
    result["Big5"] = {unit: unit.decode("cp950") for unit in map(bytes.fromhex, BIG5_OF_WINDOWS.split())}
    result["Big5"] |= pairs(BIG5_OF_2008) | pairs(BIG5_WITHDRAWN)
    # Pictures of the 33 control characters, which none of the codecs of Python has in Big5.
    for number in range(33):
        result["Big5"][bytes([0xA3, 0xC0 + number])] = chr(0x2421 if number == 32 else 0x2400 + number)
    return result


DIFFERENCES = differences()


@functools.cache
def decoded(name, unit):
    """The text of a unit by WHATWG's index; None is an error."""
    text = DIFFERENCES.get(name, {}).get(unit, strictly(unit, CODECS[name]))
    return text if isinstance(text, str) else None
