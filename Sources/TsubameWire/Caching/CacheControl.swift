// CacheControl: the directives of a Cache-Control field, of requests and of responses (RFC 9111 section 5.2).

/// What this cache acts upon of a Cache-Control field. `s-maxage` and `proxy-revalidate` are for shared caches and do not
/// appear; what nobody knows is passed over. Durations are in seconds.
package struct CacheControl: Sendable, Hashable {
    /// What a directive is about that may name fields.
    package enum Scope: Sendable, Hashable {
        case nothing
        case everything
        /// These fields only, by their canonical names.
        case fields([String])
    }

    /// How stale a response the request takes.
    package enum Staleness: Sendable, Hashable {
        case any
        case seconds(Int64)
    }

    /// What a number that does not fit means: RFC 9111 section 1.2.2.
    package static let longest: Int64 = 1 << 31

    /// Of a response 0 if what stands there is no number, or if several contradict each other: then it is stale
    /// (section 4.2.1).
    package private(set) var maxAge: Int64?
    package private(set) var noCache = Scope.nothing
    package private(set) var noStore = false
    package private(set) var isPrivate = false
    package private(set) var isPublic = false
    package private(set) var mustRevalidate = false
    package private(set) var mustUnderstand = false
    /// RFC 8246.
    package private(set) var isImmutable = false
    /// RFC 5861.
    package private(set) var staleWhileRevalidate: Int64?
    package private(set) var staleIfError: Int64?
    package private(set) var maxStale: Staleness?
    package private(set) var minFresh: Int64?
    package private(set) var onlyIfCached = false

    /// - Parameter fields: the values of all Cache-Control fields of a message.
    package init(_ fields: [String] = []) {
        for field in fields {
            // A quote that is never closed hides no directive behind it.
            let elements =
                FieldDirective.split(field, at: ",") ?? field.split(separator: ",").map { String($0) }
            for element in elements {
                if let directive = FieldDirective(element) ?? Self.withoutValue(element) { take(directive) }
            }
        }
    }

    /// A directive whose argument makes no sense: what forbids is obeyed, what permits then permits nothing.
    private static func withoutValue(_ element: String) -> FieldDirective? {
        FieldDirective(String(decoding: element.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self))
    }

    private mutating func take(_ directive: FieldDirective) {
        switch directive.name {
        case "max-age":
            let seconds = Self.seconds(directive.value) ?? 0
            maxAge = maxAge == nil || maxAge == seconds ? seconds : 0
        case "no-cache": noCache = Self.merged(noCache, directive.value)
        case "no-store": noStore = true
        case "private": isPrivate = true
        case "public": isPublic = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": isImmutable = true
        case "stale-while-revalidate": staleWhileRevalidate = Self.shorter(staleWhileRevalidate, directive.value)
        case "stale-if-error": staleIfError = Self.shorter(staleIfError, directive.value)
        case "max-stale":
            if let value = directive.value {
                maxStale = Self.seconds(value).map { .seconds($0) } ?? maxStale
            } else {
                maxStale = maxStale ?? .any
            }
        case "min-fresh": minFresh = Self.seconds(directive.value).map { max($0, minFresh ?? 0) } ?? minFresh
        case "only-if-cached": onlyIfCached = true
        default: break
        }
    }

    private static func merged(_ scope: Scope, _ value: String?) -> Scope {
        guard scope != .everything, let value else { return .everything }
        let names = (FieldDirective.split(value, at: ",") ?? []).map(\.lowercasedASCII)
        // An empty list is none that could be obeyed.
        guard !names.isEmpty else { return .everything }
        if case .fields(let others) = scope { return .fields(others + names) }
        return .fields(names)
    }

    private static func shorter(_ known: Int64?, _ value: String?) -> Int64? {
        guard let seconds = seconds(value) else { return known }
        return min(seconds, known ?? seconds)
    }

    /// RFC 9111 section 1.2.2; nil for what is no number of seconds.
    static func seconds(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ $0.digitValue != nil }) else { return nil }
        return min(Int64(text) ?? longest, longest)
    }
}
