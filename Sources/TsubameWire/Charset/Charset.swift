// Charset: the character encodings in which text can be read.

/// A character encoding in which received text can be read.
///
/// Labels, tables and the number of bytes that an error takes follow the
/// [WHATWG Encoding Standard](https://encoding.spec.whatwg.org), with two exceptions:
///
/// - ISO-8859-1 is separate from windows-1252, because it is the only encoding in which each byte is its own code
///   point. Everything else is as in browsers: the labels of ISO-8859-9 mean ``windows1254``, those of ISO-8859-11 and
///   TIS-620 mean ``windows874``. These have the same characters from A0 to FF. From 80 to 9F they have characters
///   instead of some controls, which no text contains.
/// - UTF-32, which WHATWG does not have, is read if a byte order mark announces it.
///
/// Each case names every difference from Python's codec of that encoding. `Scripts/tables/charset_codecs.py` lists the
/// characters one by one. “C1 controls” are bytes from 80 to 9F that are errors in Python, and the control characters
/// of the same number here.
public enum Charset: String, Sendable, CaseIterable {
    /// UTF-8 (RFC 3629). A byte order mark is kept. Python's `utf-8`, without differences.
    case utf8 = "UTF-8"

    /// UTF-16 whose byte order mark decides the byte order and is left out. Without a mark it is little endian, as
    /// WHATWG reads the label `utf-16` (RFC 2781 would have big endian). Python's `utf-16` on a little-endian machine,
    /// without differences.
    case utf16 = "UTF-16"

    /// UTF-16, little endian. A byte order mark is kept. Python's `utf-16-le`, without differences.
    case utf16LittleEndian = "UTF-16LE"

    /// UTF-16, big endian. A byte order mark is kept. Python's `utf-16-be`, without differences.
    case utf16BigEndian = "UTF-16BE"

    /// UTF-32, little endian: text that begins with FF FE 00 00. The encoding has no label. Python's `utf-32-le`,
    /// without differences.
    case utf32LittleEndian = "UTF-32LE"

    /// UTF-32, big endian: text that begins with 00 00 FE FF. The encoding has no label. Python's `utf-32-be`, without
    /// differences.
    case utf32BigEndian = "UTF-32BE"

    /// ISO-8859-1: each byte is the code point of the same number. 80 to 9F are the C1 controls.
    ///
    /// Browsers read this label, and the label of ASCII, as windows-1252. Here the label means ISO-8859-1 itself.
    /// Python's `latin-1`, without differences.
    case isoLatin1 = "ISO-8859-1"

    /// ISO-8859-2, Central European. Python's `iso8859_2`, without differences.
    case isoLatin2 = "ISO-8859-2"

    /// ISO-8859-3, South European. Python's `iso8859_3`, without differences.
    case isoLatin3 = "ISO-8859-3"

    /// ISO-8859-4, North European. Python's `iso8859_4`, without differences.
    case isoLatin4 = "ISO-8859-4"

    /// ISO-8859-5, Cyrillic. Python's `iso8859_5`, without differences.
    case isoCyrillic = "ISO-8859-5"

    /// ISO-8859-6, Arabic. Python's `iso8859_6`, without differences.
    case isoArabic = "ISO-8859-6"

    /// ISO-8859-7, Greek. Python's `iso8859_7`, without differences.
    case isoGreek = "ISO-8859-7"

    /// ISO-8859-8, Hebrew in visual order, which is kept. Python's `iso8859_8`, without differences.
    case isoHebrew = "ISO-8859-8"

    /// ISO-8859-8-I: the bytes of ``isoHebrew``, for text in logical order. Python's `iso8859_8`, without differences.
    case isoHebrewLogical = "ISO-8859-8-I"

    /// ISO-8859-10, Nordic. Python's `iso8859_10`, without differences.
    case isoLatin6 = "ISO-8859-10"

    /// ISO-8859-13, Baltic. Python's `iso8859_13`, without differences.
    case isoLatin7 = "ISO-8859-13"

    /// ISO-8859-14, Celtic. Python's `iso8859_14`, without differences.
    case isoLatin8 = "ISO-8859-14"

    /// ISO-8859-15, West European with the euro. Python's `iso8859_15`, without differences.
    case isoLatin9 = "ISO-8859-15"

    /// ISO-8859-16, South-East European. Python's `iso8859_16`, without differences.
    case isoLatin10 = "ISO-8859-16"

    /// windows-874, Thai. The labels of ISO-8859-11 and TIS-620 mean this encoding. Python's `cp874`, except for the C1
    /// controls 81 to 84, 86 to 90 and 98 to 9F.
    case windows874 = "windows-874"

    /// windows-1250, Central European. Python's `cp1250`, except for the C1 controls 81, 83, 88, 90 and 98.
    case windows1250 = "windows-1250"

    /// windows-1251, Cyrillic. Python's `cp1251`, except for the C1 control 98.
    case windows1251 = "windows-1251"

    /// windows-1252, West European. Python's `cp1252`, except for the C1 controls 81, 8D, 8F, 90 and 9D.
    case windows1252 = "windows-1252"

    /// windows-1253, Greek. Python's `cp1253`, except for the C1 controls 81, 88, 8A, 8C to 90, 98, 9A and 9C to 9F.
    case windows1253 = "windows-1253"

    /// windows-1254, Turkish. The labels of ISO-8859-9 mean this encoding. Python's `cp1254`, except for the C1
    /// controls 81, 8D to 90, 9D and 9E.
    case windows1254 = "windows-1254"

    /// windows-1255, Hebrew. Python's `cp1255`, except for the C1 controls 81, 8A, 8C to 90, 9A and 9C to 9F. The byte
    /// CA, an error in Python, is U+05BA.
    case windows1255 = "windows-1255"

    /// windows-1256, Arabic. Python's `cp1256`, without differences.
    case windows1256 = "windows-1256"

    /// windows-1257, Baltic. Python's `cp1257`, except for the C1 controls 81, 83, 88, 8A, 8C, 90, 98, 9A, 9C and 9F.
    case windows1257 = "windows-1257"

    /// windows-1258, Vietnamese. Python's `cp1258`, except for the C1 controls 81, 8A, 8D to 90, 9A, 9D and 9E.
    case windows1258 = "windows-1258"

    /// IBM866, the Cyrillic code page of MS-DOS. Python's `cp866`, without differences.
    case ibm866 = "IBM866"

    /// KOI8-R, Russian. Python's `koi8_r`, without differences.
    case koi8R = "KOI8-R"

    /// KOI8-U, Ukrainian, with the Byelorussian letters of KOI8-RU: AE is U+045E (Python's `koi8_u`: U+255D) and BE is
    /// U+040E (U+256C).
    case koi8U = "KOI8-U"

    /// Mac OS Roman. Python's `mac_roman`, without differences.
    case macintosh = "macintosh"

    /// Mac OS Cyrillic, with the Ukrainian letters. Python's `mac_cyrillic`, without differences.
    case macCyrillic = "x-mac-cyrillic"

    /// Shift_JIS as Windows has it (code page 932). It has the extensions of NEC and IBM, half-width katakana, and F040
    /// to F9FC as the private use characters U+E000 to U+E757.
    ///
    /// Python's `cp932`, except that the bytes A0, FD, FE and FF are errors. In Python they are U+F8F0 to U+F8F3.
    case shiftJIS = "Shift_JIS"

    /// EUC-JP: JIS X 0208, half-width katakana after 8E, and JIS X 0212 after 8F.
    ///
    /// Python's `euc_jp`, except for two things:
    ///
    /// - Rows 13 (AD) and 89 to 92 (F9 to FC) have the extensions of NEC and IBM, as in ``shiftJIS``. In Python they
    ///   are errors.
    /// - Seven characters are those of Windows. A1C1 is U+FF5E (Python: U+301C), A1C2 is U+2225 (U+2016), and A1DD is
    ///   U+FF0D (U+2212). A1F1 is U+FFE0 (U+00A2), A1F2 is U+FFE1 (U+00A3), A2CC is U+FFE2 (U+00AC), and 8FA2B7 is
    ///   U+FF5E (U+007E).
    case eucJP = "EUC-JP"

    /// ISO-2022-JP: ASCII, the Latin set and the katakana of JIS X 0201, and JIS X 0208, selected by escape sequences.
    ///
    /// Python's `iso2022_jp_ext`, with these exceptions:
    ///
    /// - Rows 13 (2D) and 89 to 92 (79 to 7C) have the extensions of NEC and IBM. Six characters are those of Windows,
    ///   as in ``eucJP``.
    /// - An escape character that begins none of ESC ( B, ESC ( J, ESC ( I, ESC $ @ and ESC $ B is an error, and the
    ///   bytes after it are text. Python passes the escape character on. Python also knows other sets: JIS X 0212 by
    ///   ESC $ D and ESC $ ( D, and those that ESC ) selects.
    /// - An escape sequence directly after another one is an error.
    /// - Control characters among katakana or JIS X 0208 are errors, including line ends. 0E and 0F are errors
    ///   everywhere. Python passes all of these on.
    case iso2022JP = "ISO-2022-JP"

    /// GBK, which WHATWG reads as ``gb18030``. Python's `gb18030`, with the differences named there. Python's `gbk`
    /// lacks the sequences of four bytes, the private use characters, and all characters that were added later.
    case gbk = "GBK"

    /// GB18030 with the characters of its edition of 2022. Python's `gb18030` has the edition of 2000:
    ///
    /// - 80 is U+20AC, as in Windows (Python: an error), and A3A0 is U+3000 (U+E5E5), as old pages have it.
    /// - From 2005: A8BC is U+1E3F (Python: U+E7C7) and 8135F437 is U+E7C7 (U+1E3F).
    /// - From 2022, where Python has private use characters: A6D9 to A6DF are U+FE10, FE12, FE11, FE13, FE14, FE15 and
    ///   FE16. A6EC and A6ED are U+FE17 and FE18, and A6F3 is U+FE19. FE59, FE61, FE66, FE67, FE6D, FE7E, FE90 and FEA0
    ///   are U+9FB4 to U+9FBB.
    case gb18030 = "GB18030"

    /// Big5 with the characters of Hong Kong (HKSCS-2008).
    ///
    /// Python's `big5hkscs`, with these exceptions:
    ///
    /// - Eleven signs are those of Windows (Python's `cp950`). A145 is U+2027 (Python: U+2022), A14E is U+FE51
    ///   (U+FF64), and A1C2 is U+00AF (U+203E). A1E3 is U+FF5E (U+223C), A1F2 is U+2295 (U+2641), and A1F3 is U+2299
    ///   (U+2609). A241 is U+2215 (U+FF0F), A242 is U+FE68 (U+FF3C), and A244 is U+FFE5 (U+00A5). A246 is U+FFE0
    ///   (U+00A2), and A247 is U+FFE1 (U+00A3).
    /// - These are errors in Python. A3C0 to A3E0 are U+2400 to U+241F and U+2421, and A3E1 is U+20AC. The range 877A
    ///   to 87DF has the 68 characters that HKSCS-2008 added. Another 90 places from 8E69 to FEDD, most of them
    ///   withdrawn, have characters that also have another place.
    case big5 = "Big5"

    /// EUC-KR as Windows has it (code page 949), with all syllables of Hangul. Python's `cp949`, without differences.
    case eucKR = "EUC-KR"

    /// The name as written in `Content-Type`: the name that is registered with IANA, or WHATWG's if IANA has none.
    public var name: String { rawValue }
}
