// PublicSuffixList: the list of domains below which registries give names to the public.

import TsubameCore

/// The public suffix list (https://publicsuffix.org): `co.uk` is a public suffix, and `example.co.uk` has an owner.
///
/// ```swift
/// PublicSuffixList.builtIn.registrableDomain(of: "www.example.co.uk")   // "example.co.uk"
/// ```
/// Hosts may be in any case and script, and may end in the dot of the DNS root. Results are in lower case and in
/// A-labels. As in browsers, a name of one label that is not in the list, such as `localhost` or `internal`, is a
/// suffix.
public struct PublicSuffixList: Sendable {
    /// The parts of the list.
    public struct Sections: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The suffixes that the registries of top-level domains have named.
        public static let icann = Sections(rawValue: 1)
        /// The domains of companies that give names below them to others, such as `github.io`.
        public static let `private` = Sections(rawValue: 2)
        /// Both sections. Cookies follow both.
        public static let all: Sections = [.icann, .private]
    }

    /// The list that comes with the library. ``date`` tells how old it is. The list is read in place and not copied.
    public static let builtIn = PublicSuffixList(
        date: "\(PublicSuffixTableData.date)", count: PublicSuffixTableData.count, listed: nil)

    /// The date of the list, such as `2023-02-09`; nil if the list states none.
    public let date: String?
    /// The number of names that have rules.
    public let count: Int
    private let listed: ListedSuffixes?

    private init(date: String?, count: Int, listed: ListedSuffixes?) {
        self.date = date
        self.count = count
        self.listed = listed
    }

    /// Reads a list in the format of `public_suffix_list.dat`.
    /// - Returns: nil if the text has no rule, or a line that is not a rule.
    public init?(parsing text: String) {
        guard let listed = ListedSuffixes(text) else { return nil }
        self.init(date: listed.date, count: listed.flags.count, listed: listed)
    }

    /// The public suffix that the host is, or that it ends with; nil for addresses and for texts that are not names.
    public func publicSuffix(of host: String, in sections: Sections = .all) -> String? {
        Self.withName(host) { name, dot in
            Self.text(name, from: start(of: name, sections), dot)
        }
    }

    /// The public suffix and one more label: the domain whose hosts all belong to one owner. The result is
    /// nil if the host is itself a suffix, for addresses, and for texts that are not names.
    public func registrableDomain(of host: String, in sections: Sections = .all) -> String? {
        Self.withName(host) { name, dot in
            let start = start(of: name, sections)
            guard start > 0 else { return nil }
            return Self.text(name, from: Self.labelStart(before: start, in: name), dot)
        }
    }

    /// Whether the names below the host belong to others. False for addresses and for texts that are not names.
    public func isPublicSuffix(_ host: String, in sections: Sections = .all) -> Bool {
        Self.withName(host) { name, _ in start(of: name, sections) == 0 ? true : nil } ?? false
    }

    /// Where in the name its public suffix begins (https://github.com/publicsuffix/list/wiki/Format, "Algorithm").
    private func start(of name: UnsafeBufferPointer<UInt8>, _ sections: Sections) -> Int {
        var start = Self.labelStart(before: name.count + 1, in: name)
        var exception: Int?
        let take = { (place: Int, flags: UInt8) in
            let rule = (sections.contains(.icann) ? flags & 7 : 0) | (sections.contains(.private) ? flags >> 3 : 0)
            // The domain below which a wildcard stands is a suffix, too. The algorithm leaves this open, and libpsl
            // decides the same.
            if rule & 3 != 0 { start = min(start, place) }
            if rule & 2 != 0 { start = min(start, Self.labelStart(before: place, in: name)) }
            if rule & 4 != 0 { exception = name[place...].firstIndex(of: UInt8(ascii: ".")).map { $0 + 1 } }
        }
        if let listed {
            listed.forEachRule(of: name, take)
        } else {
            PublicSuffixAutomaton.forEachRule(of: name, take)
        }
        return exception ?? start
    }

    /// Where the label begins that ends before the dot at `place - 1`.
    static func labelStart(before place: Int, in name: UnsafeBufferPointer<UInt8>) -> Int {
        name[..<max(0, place - 1)].lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
    }

    private static func text(_ name: UnsafeBufferPointer<UInt8>, from start: Int, _ hasDot: Bool) -> String {
        String(decoding: name[start...], as: UTF8.self) + (hasDot ? "." : "")
    }

    /// Calls `body` with the host in the form of the list, without the final dot, if the host is a name.
    private static func withName<T>(_ host: String, _ body: (UnsafeBufferPointer<UInt8>, Bool) -> T?) -> T? {
        var host = host
        if !host.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let name = DomainName.canonical(host) else { return nil }
            host = name
        }
        host = host.lowercasedASCII
        guard !CookieScope.isAddress(host) else { return nil }
        return host.withUTF8 { bytes in
            let hasDot = bytes.last == UInt8(ascii: ".")
            let name = UnsafeBufferPointer(rebasing: bytes.dropLast(hasDot ? 1 : 0))
            var isLabelEmpty = true
            for byte in name {
                let isDot = byte == UInt8(ascii: ".")
                if isDot, isLabelEmpty { return nil }
                isLabelEmpty = isDot
            }
            return isLabelEmpty ? nil : body(name, hasDot)
        }
    }
}

extension PublicSuffixList: CustomStringConvertible, CustomReflectable {
    public var description: String { "public suffix list\(date.map { " of \($0)" } ?? ""), \(count) names" }

    public var customMirror: Mirror { Mirror(self, children: ["list": description], displayStyle: .struct) }
}
