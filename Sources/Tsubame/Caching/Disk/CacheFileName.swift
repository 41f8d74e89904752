// CacheFileName: the names that a cache on disk gives to its files.

package enum CacheFileName {
    /// What a file is, as its name says.
    package enum Kind: Sendable, Hashable {
        /// A response.
        case record
        /// The body of a response.
        case body
        /// One of the two, while it is written.
        case part
    }

    package static let bodyEnding = ".body"
    package static let partEnding = ".part"
    private static let digits = 32

    /// nil if no cache makes such a file: then no cache reads, counts or removes it.
    package static func kind(of name: String) -> Kind? {
        guard isStem(name.prefix(digits)) else { return nil }
        switch name.dropFirst(digits) {
        case "": return .record
        case bodyEnding[...]: return .body
        case partEnding[...], (bodyEnding + partEnding)[...]: return .part
        default: return nil
        }
    }

    /// 32 hexadecimal digits, as the files of a cache begin and the folder of a key is called.
    package static func isStem(_ text: some StringProtocol) -> Bool {
        text.utf8.count == digits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
