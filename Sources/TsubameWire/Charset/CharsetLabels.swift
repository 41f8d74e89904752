// CharsetLabels: the labels of encodings in WHATWG section 4.2, in lower case.

enum CharsetLabels {
    /// The encoding that each label means. The dictionary is created at the first access.
    static let meanings: [String: Charset] = {
        var meanings: [String: Charset] = [:]
        for (charset, labels) in ofCharsets {
            for label in "\(labels)".split(whereSeparator: \.isWhitespace) { meanings[String(label)] = charset }
        }
        return meanings
    }()

    private static let ofCharsets: [(Charset, StaticString)] = [
        (.utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
        (.utf16, "utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode"),
        (.utf16LittleEndian, "utf-16le unicodefeff"),
        (.utf16BigEndian, "utf-16be unicodefffe"),
        (
            .isoLatin1,
            """
            iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 csisolatin1 latin1 l1 cp819 ibm819 ascii
            us-ascii ansi_x3.4-1968
            """
        ),
        (.isoLatin2, "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 csisolatin2 latin2 l2"),
        (.isoLatin3, "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 csisolatin3 latin3 l3"),
        (.isoLatin4, "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 csisolatin4 latin4 l4"),
        (
            .isoCyrillic,
            "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 csisolatincyrillic cyrillic"
        ),
        (
            .isoArabic,
            """
            iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-ir-127 csisolatinarabic arabic asmo-708 ecma-114
            iso-8859-6-e csiso88596e iso-8859-6-i csiso88596i
            """
        ),
        (
            .isoGreek,
            """
            iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 csisolatingreek greek greek8 ecma-118
            elot_928 sun_eu_greek
            """
        ),
        (
            .isoHebrew,
            """
            iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-ir-138 csisolatinhebrew hebrew visual
            iso-8859-8-e csiso88598e
            """
        ),
        (.isoHebrewLogical, "iso-8859-8-i csiso88598i logical"),
        (.isoLatin6, "iso-8859-10 iso8859-10 iso885910 iso-ir-157 csisolatin6 latin6 l6"),
        (.isoLatin7, "iso-8859-13 iso8859-13 iso885913"),
        (.isoLatin8, "iso-8859-14 iso8859-14 iso885914"),
        (.isoLatin9, "iso-8859-15 iso8859-15 iso885915 iso_8859-15 csisolatin9 l9"),
        (.isoLatin10, "iso-8859-16"),
        (.windows874, "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
        (.windows1250, "windows-1250 cp1250 x-cp1250"),
        (.windows1251, "windows-1251 cp1251 x-cp1251"),
        (.windows1252, "windows-1252 cp1252 x-cp1252"),
        (.windows1253, "windows-1253 cp1253 x-cp1253"),
        (
            .windows1254,
            """
            windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 csisolatin5
            latin5 l5
            """
        ),
        (.windows1255, "windows-1255 cp1255 x-cp1255"),
        (.windows1256, "windows-1256 cp1256 x-cp1256"),
        (.windows1257, "windows-1257 cp1257 x-cp1257"),
        (.windows1258, "windows-1258 cp1258 x-cp1258"),
        (.ibm866, "ibm866 866 cp866 csibm866"),
        (.koi8R, "koi8-r koi koi8 koi8_r cskoi8r"),
        (.koi8U, "koi8-u koi8-ru"),
        (.macintosh, "macintosh mac csmacintosh x-mac-roman"),
        (.macCyrillic, "x-mac-cyrillic x-mac-ukrainian"),
        (.shiftJIS, "shift_jis shift-jis sjis x-sjis csshiftjis ms_kanji ms932 windows-31j"),
        (.eucJP, "euc-jp x-euc-jp cseucpkdfmtjapanese"),
        (.iso2022JP, "iso-2022-jp csiso2022jp"),
        (.gbk, "gbk x-gbk chinese gb2312 gb_2312 gb_2312-80 csgb2312 csiso58gb231280 iso-ir-58"),
        (.gb18030, "gb18030"),
        (.big5, "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        (
            .eucKR,
            """
            euc-kr cseuckr korean windows-949 ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 csksc56011987 iso-ir-149
            """
        ),
    ]
}
