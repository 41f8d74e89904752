// CharsetLabel: finds the encoding that a label in `Content-Type` means.

extension Charset {
    /// The encoding of a label such as `Shift_JIS`, `x-sjis` or `latin1`; nil for any other encoding.
    ///
    /// The case of ASCII letters and white space around the label are ignored. The labels and their meanings are those
    /// of WHATWG (section 4.2). Only the labels of ISO-8859-1 and ASCII, which WHATWG gives to windows-1252, mean
    /// ``isoLatin1``. `x-user-defined` and the labels of encodings that WHATWG has withdrawn (such as `iso-2022-kr` and
    /// `hz-gb-2312`) have no meaning.
    public init?(label: some StringProtocol) {
        let isWhiteSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) && $0 != 0x0B }
        let trimmed = label.utf8.drop(while: isWhiteSpace).reversed().drop(while: isWhiteSpace).reversed()
        let lowercased = trimmed.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let charset = CharsetLabels.meanings[String(decoding: lowercased, as: UTF8.self)] else { return nil }
        self = charset
    }
}
