// PublicSuffixList: which domains belong to registries, where anybody can have a name below.

import TsubameCore

/// The public suffix list (https://publicsuffix.org): `co.uk` is nobody's own domain, `example.co.uk` is.
///
/// ```swift
/// PublicSuffixList.builtIn.registrableDomain(of: "www.example.co.uk")   // "example.co.uk"
/// ```
/// Hosts may be in any case and script, and have the root's dot behind them; answers are in lower case and in A-labels.
/// As in browsers, a name of one label that the list does not have, such as `localhost` or `internal`, is a suffix.
public struct PublicSuffixList: Sendable {
    /// The parts of the list.
    public struct Sections: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// What registries of top-level domains have said.
        public static let icann = Sections(rawValue: 1)
        /// Domains of companies who let others have names below, such as `github.io`.
        public static let `private` = Sections(rawValue: 2)
        /// Both; what cookies go by.
        public static let all: Sections = [.icann, .private]
    }

    /// The list that comes with the library; ``date`` says how old it is. It is read where it lies in the program.
    public static let builtIn = PublicSuffixList(
        date: "\(PublicSuffixTableData.date)", count: PublicSuffixTableData.count, listed: nil)

    /// The day of the list, such as `2023-02-09`; nil if it does not say.
    public let date: String?
    /// How many names it has rules for.
    public let count: Int
    private let listed: ListedSuffixes?

    private init(date: String?, count: Int, listed: ListedSuffixes?) {
        self.date = date
        self.count = count
        self.listed = listed
    }

    /// Reads a list in the format of `public_suffix_list.dat`.
    /// - Returns: nil if there is no rule in the text, or a line that is none.
    public init?(parsing text: String) {
        guard let listed = ListedSuffixes(text) else { return nil }
        self.init(date: listed.date, count: listed.flags.count, listed: listed)
    }

    /// The suffix that the host is, or has; nil for addresses and for what is no name.
    public func publicSuffix(of host: String, in sections: Sections = .all) -> String? {
        Self.withName(host) { name, dot in
            Self.text(name, from: start(of: name, sections), dot)
        }
    }

    /// The suffix and one label more: the longest domain that the host shares with hosts of the same owner only. nil if
    /// the host is a suffix itself, for addresses, and for what is no name.
    public func registrableDomain(of host: String, in sections: Sections = .all) -> String? {
        Self.withName(host) { name, dot in
            let start = start(of: name, sections)
            guard start > 0 else { return nil }
            return Self.text(name, from: Self.labelStart(before: start, in: name), dot)
        }
    }

    /// Whether names below the host belong to others. False for addresses and for what is no name.
    public func isPublicSuffix(_ host: String, in sections: Sections = .all) -> Bool {
        Self.withName(host) { name, _ in start(of: name, sections) == 0 ? true : nil } ?? false
    }

    /// Where in the name its public suffix begins (https://github.com/publicsuffix/list/wiki/Format, "Algorithm").
    private func start(of name: UnsafeBufferPointer<UInt8>, _ sections: Sections) -> Int {
        var start = Self.labelStart(before: name.count + 1, in: name)
        var exception: Int?
        let take = { (place: Int, flags: UInt8) in
            let rule = (sections.contains(.icann) ? flags & 7 : 0) | (sections.contains(.private) ? flags >> 3 : 0)
            // What a wildcard stands below is a suffix, too: the algorithm leaves that open, and libpsl sees it that way.
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

    /// Where the label begins that ends in front of the dot at `place - 1`.
    static func labelStart(before place: Int, in name: UnsafeBufferPointer<UInt8>) -> Int {
        name[..<max(0, place - 1)].lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? 0
    }

    private static func text(_ name: UnsafeBufferPointer<UInt8>, from start: Int, _ hasDot: Bool) -> String {
        String(decoding: name[start...], as: UTF8.self) + (hasDot ? "." : "")
    }

    /// The host in the one form in which the list has it, without the root's dot, if it is a name.
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
