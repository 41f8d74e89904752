// CacheStatement: one statement of a specification about caches, and a scenario that shows it.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

struct CacheStatement: Sendable, CustomTestStringConvertible {
    /// The section, of RFC 9111 unless another specification is named.
    let section: String
    let claim: String
    let expected: String
    let seen: @Sendable () -> String

    init(_ section: String, _ claim: String, is expected: String, _ seen: @escaping @Sendable () -> String) {
        self.section = section
        self.claim = claim
        self.expected = expected
        self.seen = seen
    }

    var testDescription: String { "\(section): \(claim)" }
}

/// A response that was requested and arrived at second 1,000,000,000, and a cache's later decisions about it.
enum CacheScene {
    static let start = 1_000_000_000.0
    static let date = "Date: Sun, 09 Sep 2001 01:46:40 GMT"
    /// The time `seconds` after the start.
    static func time(_ seconds: Int64) -> String { HTTPDate.format(Int64(start) + seconds) }

    static func fields(_ lines: [String]) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            fields.append(HTTPField(name: name, value: String(parts[1])))
        }
        return fields
    }

    static func head(
        _ response: [String], status: Int = 200, delay: Double = 0, dated: Bool = true, for request: [String] = []
    ) -> StoredHead {
        let fields = fields((dated ? [date] : []) + response)
        let request = Self.fields(request)
        let selecting = StoredHead.selecting(vary: fields[values: .vary], in: request, identity(request)) ?? [:]
        return StoredHead(
            status: status, fields: StoringRules.stored(fields), selecting: selecting, requestTime: start - delay,
            responseTime: start)
    }

    static func identity(_ request: HTTPFields) -> CacheIdentity {
        CacheIdentity(request, authority: "example.com") { $0.canonicalName.contains("key") }
    }

    static func terms(
        _ request: [String], _ method: HTTPRequest.Method = .get, policy: CachePolicy = .standard, hasBody: Bool = false
    ) -> CacheTerms {
        let fields = fields(request)
        return CacheTerms(method, fields, policy: policy, identity: identity(fields), hasOtherContent: hasBody)
    }

    /// The decision about a request `seconds` later.
    static func decided(
        _ response: [String]?, after seconds: Double = 10, _ request: [String] = [], method: HTTPRequest.Method = .get,
        policy: CachePolicy = .standard, status: Int = 200, delay: Double = 0, dated: Bool = true
    ) -> String {
        let stored = response.map { StoredTerms(head($0, status: status, delay: delay, dated: dated)) }
        switch CacheDecision(terms(request, method, policy: policy), stored: stored, at: start + seconds) {
        case .reuse(nil): return "reuse"
        case .reuse(.some(let excuse)): return "reuse by \(excuse.rawValue)"
        case .validate(let why): return "validate, \(why.rawValue)"
        case .forward(let why): return "forward, \(why.rawValue)"
        case .refuse: return "504"
        }
    }

    static func stored(
        _ response: [String], status: Int = 200, _ request: [String] = [], method: HTTPRequest.Method = .get
    ) -> String {
        StoringRules.refusal(of: status, fields(response), to: terms(request, method)) == nil ? "stored" : "not stored"
    }

    static func lifetime(_ response: [String], status: Int = 200) -> String {
        let freshness = StoredTerms(head(response, status: status)).freshness
        return "\(Freshness.whole(freshness.lifetime))\(freshness.isHeuristic ? " by guess" : "")"
    }

    static func age(_ response: [String], after seconds: Double = 0, delay: Double = 0, dated: Bool = true) -> String {
        let terms = StoredTerms(head(response, delay: delay, dated: dated))
        return "\(Freshness.whole(terms.freshness.age(at: start + seconds)))"
    }

    static func answers(_ vary: [String], _ first: [String], _ second: [String]) -> String {
        let request = fields(first)
        let selecting = StoredHead.selecting(vary: vary, in: request, identity(request))
        guard let selecting else { return "never" }
        let stored = StoredHead(
            status: 200, fields: [:], selecting: selecting, requestTime: start, responseTime: start)
        let other = fields(second)
        return stored.answers(other, identity(other)) ? "yes" : "no"
    }

    static func condition(_ response: [String]) -> String {
        var request = HTTPFields()
        StoredTerms(head(response)).addCondition(to: &request)
        return request.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    }

    static func met(_ condition: [String], by response: [String], dated: Bool = true) -> String {
        let conditions = CacheConditions(fields(condition))
        if conditions.needsOrigin { return "origin" }
        return conditions.areMet(by: StoredTerms(head(response, dated: dated))) ? "304" : "200"
    }

    static func meant(_ response: [String], by update: [String]) -> String {
        head(response).isMeant(by: fields(update)) ? "yes" : "no"
    }

    /// The named field after a 304 a thousand seconds later.
    static func updated(_ response: [String], by update: [String], _ name: String) -> String {
        let changed = head(response).updated(
            by: fields(update), requestTime: start + 1_000, responseTime: start + 1_000)
        return HTTPField.Name(name).flatMap { changed.fields[$0] } ?? "none"
    }

    static func described(_ response: [String], by head: [String], status: Int = 200) -> String {
        Self.head(response).isDescribed(by: fields(head), status: status) ? "yes" : "no"
    }

    static func range(_ range: String?, _ ifRange: String? = nil, of response: [String] = [], _ length: Int64 = 100)
        -> String
    {
        switch StoredRange(range, ifRange: ifRange, of: StoredTerms(head(response)), length: length) {
        case .whole: "whole"
        case .part(let part): "\(part.lowerBound)-\(part.upperBound - 1)"
        case .unsatisfiable: "416"
        case .unknown: "origin"
        }
    }

    static func onError(_ response: [String], after seconds: Double, _ request: [String] = []) -> String {
        let permits = CacheDecision.permitsStaleOnError(
            terms(request), StoredTerms(head(response)), at: start + seconds)
        return permits ? "stale" : "error"
    }

    static func forgotten(_ status: Int, _ response: [String]) -> String {
        guard let uri = try? TargetURI(parsing: "https://example.com/a/b?c") else { return "" }
        return CacheKey.invalidated(by: status, ReceivedFields(fields(response)), to: uri).joined(separator: " ")
    }

    static func directives(_ lines: String...) -> CacheControl { CacheControl(lines) }

    /// A field of the response that the cache gives from a stored response ten seconds later.
    static func answer(_ response: [String], isValidated: Bool = false, _ name: String) -> String {
        let stored = head(response)
        let fields = stored.answer(
            StoredTerms(stored), at: start + 10, isValidated: isValidated, status: CacheStatus(isHit: true))
        return HTTPField.Name(name).map { fields[values: $0].joined(separator: " + ") } ?? ""
    }
}
