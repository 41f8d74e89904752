// CacheFileName: the names that a cache on disk gives to its files.

package enum CacheFileName {
    /// The kind of a file, according to its name.
    package enum Kind: Sendable, Hashable {
        /// A response.
        case record
        /// The body of a response.
        case body
        /// A response or a body that is being written.
        case part
    }

    package static let bodyEnding = ".body"
    package static let partEnding = ".part"
    private static let digits = 32

    /// The kind of the file, or nil if no cache makes a file with this name. A cache does not read, count or remove
    /// such a file.
    package static func kind(of name: String) -> Kind? {
        guard isStem(name.prefix(digits)) else { return nil }
        switch name.dropFirst(digits) {
        case "": return .record
        case bodyEnding[...]: return .body
        case partEnding[...], (bodyEnding + partEnding)[...]: return .part
        default: return nil
        }
    }

    /// Whether the text is 32 hexadecimal digits. The names of a cache's files begin so, and the folder of a key has
    /// such a name.
    package static func isStem(_ text: some StringProtocol) -> Bool {
        text.utf8.count == digits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
