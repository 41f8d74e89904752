// Which encoding a label in `Content-Type` means.

extension Charset {
    /// The encoding of a label such as `Shift_JIS`, `x-sjis` or `latin1`; nil for any other encoding.
    ///
    /// Upper and lower case of ASCII are the same, and white space around the label is left out. The labels are those
    /// of WHATWG (section 4.2), and mean what they mean there; only those of ISO-8859-1 and ASCII, which WHATWG gives to
    /// windows-1252, mean ``isoLatin1``. Without a meaning are `x-user-defined`, and the labels of encodings that WHATWG
    /// has withdrawn (such as `iso-2022-kr` and `hz-gb-2312`).
    public init?(label: some StringProtocol) {
        let isWhiteSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) && $0 != 0x0B }
        let trimmed = label.utf8.drop(while: isWhiteSpace).reversed().drop(while: isWhiteSpace).reversed()
        let lowercased = trimmed.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let charset = CharsetLabels.meanings[String(decoding: lowercased, as: UTF8.self)] else { return nil }
        self = charset
    }
}
