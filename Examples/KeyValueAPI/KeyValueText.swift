// KeyValueText: pairs such as `key1=value1&key2=value2&END`, with a mark at the end that shows truncation.

public import Tsubame

public enum KeyValueText {
    /// Reads pairs up to the piece that is `terminator`; text after that piece is ignored.
    ///
    /// White space and control characters may follow the terminator, because some servers add a line end. A name that
    /// merely begins with the terminator is a name. A value may contain `=`, a piece without `=` has an empty value,
    /// and empty pieces are skipped.
    /// - Throws: ``KeyValueTextError`` if the terminator is missing.
    public static func decode(_ text: String, terminator: String = "END") throws(KeyValueTextError) -> Parameters {
        var pairs = Parameters()
        var rest = text.utf8[...]
        while !rest.isEmpty {
            let piece = rest.prefix { $0 != UInt8(ascii: "&") }
            if isTerminator(piece, terminator.utf8) { return pairs }
            rest = rest[piece.endIndex...].dropFirst()
            if piece.isEmpty { continue }
            let name = piece.prefix { $0 != UInt8(ascii: "=") }
            pairs.append(String(Substring(name)), String(Substring(piece[name.endIndex...].dropFirst())))
        }
        throw KeyValueTextError.missingTerminator(terminator)
    }

    private static func isTerminator(_ piece: Substring.UTF8View, _ terminator: String.UTF8View) -> Bool {
        guard piece.starts(with: terminator) else { return false }
        guard let next = piece.dropFirst(terminator.count).first else { return true }
        return next <= UInt8(ascii: " ")
    }
}

public enum KeyValueTextError: Error, Hashable, CustomStringConvertible {
    case missingTerminator(String)

    public var description: String {
        switch self {
        case .missingTerminator(let terminator):
            "The text is incomplete: it ends without \(terminator)."
        }
    }
}
