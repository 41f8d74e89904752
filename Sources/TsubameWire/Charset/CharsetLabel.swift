// Which encoding a label in `Content-Type` means.

extension Charset {
    /// The encoding of a label such as `Shift_JIS`, `x-sjis` or `latin1`; nil for any other encoding.
    ///
    /// Upper and lower case of ASCII are the same, and white space around the label is left out. The labels are those
    /// of WHATWG for these encodings; those of ISO-8859-1 and ASCII, which WHATWG gives to windows-1252, mean
    /// ``isoLatin1``.
    public init?(label: some StringProtocol) {
        let isWhiteSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) && $0 != 0x0B }
        let trimmed = label.utf8.drop(while: isWhiteSpace).reversed().drop(while: isWhiteSpace).reversed()
        let lowercased = trimmed.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }

        switch String(decoding: lowercased, as: UTF8.self) {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8":
            self = .utf8
        case "utf-16", "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode":
            self = .utf16
        case "utf-16le", "unicodefeff":
            self = .utf16LittleEndian
        case "utf-16be", "unicodefffe":
            self = .utf16BigEndian
        case "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "iso-ir-100", "csisolatin1",
            "latin1", "l1", "cp819", "ibm819", "ascii", "us-ascii", "ansi_x3.4-1968":
            self = .isoLatin1
        case "windows-1252", "cp1252", "x-cp1252":
            self = .windows1252
        case "shift_jis", "shift-jis", "sjis", "x-sjis", "csshiftjis", "ms_kanji", "ms932", "windows-31j":
            self = .shiftJIS
        case "euc-jp", "x-euc-jp", "cseucpkdfmtjapanese":
            self = .eucJP
        default:
            return nil
        }
    }
}
