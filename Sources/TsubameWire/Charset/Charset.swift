// The character encodings that text is read in.

/// A character encoding that a received text can be read in.
///
/// Labels, tables and the number of bytes that an error takes are those of the
/// [WHATWG Encoding Standard](https://encoding.spec.whatwg.org), except that ISO-8859-1 stays apart from windows-1252.
/// Each case names every difference from Python's codec of that encoding.
public enum Charset: String, Sendable, CaseIterable {
    /// UTF-8 (RFC 3629). A byte order mark is kept. Python's `utf-8`, without differences.
    case utf8 = "UTF-8"

    /// UTF-16 whose byte order mark decides the order and is left out; little endian without one, as WHATWG reads the
    /// label `utf-16` (RFC 2781 would have big endian). Python's `utf-16` on a little-endian machine, without
    /// differences.
    case utf16 = "UTF-16"

    /// UTF-16, little endian. A byte order mark is kept. Python's `utf-16-le`, without differences.
    case utf16LittleEndian = "UTF-16LE"

    /// UTF-16, big endian. A byte order mark is kept. Python's `utf-16-be`, without differences.
    case utf16BigEndian = "UTF-16BE"

    /// ISO-8859-1: each byte is the code point of the same number, 80 to 9F are the C1 controls.
    ///
    /// Browsers read this label, and ASCII's, as windows-1252; here it means what it says. Python's `latin-1`, without
    /// differences.
    case isoLatin1 = "ISO-8859-1"

    /// windows-1252. Python's `cp1252`, except that the bytes 81, 8D, 8F, 90 and 9D, which are errors there, are the C1
    /// controls of the same number.
    case windows1252 = "windows-1252"

    /// Shift_JIS as Windows has it (code page 932): with NEC's and IBM's extensions, half-width katakana, and F040 to
    /// F9FC as the private use characters U+E000 to U+E757.
    ///
    /// Python's `cp932`, except that the bytes A0, FD, FE and FF are errors, where Python has U+F8F0 to U+F8F3.
    case shiftJIS = "Shift_JIS"

    /// EUC-JP: JIS X 0208, half-width katakana by 8E and JIS X 0212 by 8F.
    ///
    /// Python's `euc_jp`, except for two things:
    ///
    /// - Rows 13 (AD) and 89 to 92 (F9 to FC) have NEC's and IBM's extensions, as in ``shiftJIS``; Python has errors.
    /// - Seven characters are those of Windows: A1C1 is U+FF5E (Python: U+301C), A1C2 is U+2225 (U+2016), A1DD is
    ///   U+FF0D (U+2212), A1F1 is U+FFE0 (U+00A2), A1F2 is U+FFE1 (U+00A3), A2CC is U+FFE2 (U+00AC) and 8FA2B7 is
    ///   U+FF5E (U+007E).
    case eucJP = "EUC-JP"

    /// The name that IANA has registered, as it is written in `Content-Type`.
    public var name: String { rawValue }
}
