// CacheControl: the directives of the Cache-Control field of a request or response (RFC 9111 section 5.2).

/// The directives that this private cache obeys. `s-maxage` and `proxy-revalidate` concern shared caches and are left
/// out; unknown directives are ignored. Durations are in seconds.
package struct CacheControl: Sendable, Hashable {
    /// The extent of a directive that can name fields, such as `no-cache`.
    package enum Scope: Sendable, Hashable {
        case nothing
        case everything
        /// Only these fields, by canonical name.
        case fields([String])
    }

    /// The staleness that a request accepts.
    package enum Staleness: Sendable, Hashable {
        case any
        case seconds(Int64)
    }

    /// The value of a number that is too large to represent (RFC 9111 section 1.2.2).
    package static let longest: Int64 = 1 << 31

    /// 0, and so stale, if a response's value is not a number or its values contradict each other (section 4.2.1).
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
            // An unclosed quote must not hide the directives after it.
            let elements =
                FieldDirective.split(field, at: ",") ?? field.split(separator: ",").map { String($0) }
            for element in elements {
                if let directive = FieldDirective(element) ?? Self.withoutValue(element) { take(directive) }
            }
        }
    }

    /// A directive with an invalid argument, without that argument. A restriction then still applies, and a
    /// permission permits nothing.
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

    /// A directive that names more fields covers the whole response. That is safe, and a longer list only costs time.
    private static var mostNames: Int { 100 }

    private static func merged(_ scope: Scope, _ value: String?) -> Scope {
        guard scope != .everything, let value else { return .everything }
        let names = (FieldDirective.split(value, at: ",") ?? []).map(\.lowercasedASCII)
        // An empty list cannot be obeyed, so the directive covers everything.
        guard !names.isEmpty else { return .everything }
        var all = names
        if case .fields(let others) = scope { all = others + names }
        return all.count > mostNames ? .everything : .fields(all)
    }

    private static func shorter(_ known: Int64?, _ value: String?) -> Int64? {
        guard let seconds = seconds(value) else { return known }
        return min(seconds, known ?? seconds)
    }

    /// A number of seconds (RFC 9111 section 1.2.2); nil if the text is not one.
    static func seconds(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ $0.digitValue != nil }) else { return nil }
        return min(Int64(text) ?? longest, longest)
    }
}
