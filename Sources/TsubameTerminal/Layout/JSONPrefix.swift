// JSONPrefix: the text that some servers put before JSON, so that no page can include it as a script.

package enum JSONPrefix {
    private static let known = [")]}'", ")]}',", "while(1);", "while (1);", "while(true);", "for(;;);", "for (;;);"]
        .map { Array($0.utf8) }

    /// Whether a text that begins with these bytes may begin with a prefix.
    static func canBegin(_ bytes: [UInt8]) -> Bool { known.contains { $0.starts(with: bytes) } }

    /// Whether the bytes are a prefix, with or without white space after it.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard let end = bytes.lastIndex(where: { $0 > 0x20 }) else { return false }
        return known.contains { $0.elementsEqual(bytes[...end]) }
    }

    /// The text after its prefix, or the whole text if it has none.
    package static func rest(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = bytes.drop { $0 <= 0x20 }
        let prefix = known.filter { start.starts(with: $0) }.max { $0.count < $1.count }
        return prefix.map { start.dropFirst($0.count) } ?? bytes
    }
}
