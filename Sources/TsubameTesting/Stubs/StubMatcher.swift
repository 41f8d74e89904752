// StubMatcher: a condition of a stub's route beside its method and path.

internal import HTTPTypes
public import TsubameCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A condition that a request must meet, so that a route of a ``StubTransport`` answers it.
///
/// ```swift
/// stub.on(.get, "/users", .query("page", "2")).respond(json: [User.sample])
/// stub.on(.post, "/users", .header("Authorization", "Bearer t"), .json(User.sample)).respond(status: .created)
/// stub.on(.get, "/me", .state("signed in", of: "login")).respond(json: User.sample)
/// ```
public struct StubMatcher: Sendable, CustomStringConvertible {
    /// A request with the facts that a matcher may ask for.
    struct Subject: Sendable {
        let request: Request
        /// The whole body; nil if no route asks for it.
        let body: Bytes?
        /// The state of each scenario that has left its first state.
        let states: [String: String]
    }

    /// The condition in words. Two routes whose patterns and conditions have the same words are the same route.
    public let description: String
    let needsBody: Bool
    /// How the request differs from the condition, without a secret; nil if it meets the condition.
    let difference: @Sendable (Subject) -> String?

    private init(
        _ description: String, needsBody: Bool = false, _ difference: @escaping @Sendable (Subject) -> String?
    ) {
        self.description = description
        self.needsBody = needsBody
        self.difference = difference
    }

    /// The query has a parameter with this name and value, both without percent-encoding.
    public static func query(_ name: String, _ value: String) -> StubMatcher {
        StubMatcher("query \(words(name, value, isField: false))") { subject in
            let text = subject.request.uri?.query?.replacing("+", with: "%20") ?? ""
            let items = URLComponents(string: "?" + text)?.queryItems ?? []
            let values = items.filter { $0.name == name }.map { $0.value ?? "" }
            return values.contains(value)
                ? nil
                : difference(
                    "the parameter \(name)", values, value, isSecret(name, isField: false, subject.request.redaction))
        }
    }

    /// The request has a field with this name and value. The name is compared without regard to case.
    public static func header(_ name: String, _ value: String) -> StubMatcher {
        StubMatcher("field \(words(name, value, isField: true))") { subject in
            let values = subject.request.headers[values: name]
            return values.contains(value)
                ? nil
                : difference(
                    "the field \(name)", values, value, isSecret(name, isField: true, subject.request.redaction))
        }
    }

    private static func difference(
        _ what: String, _ values: [String], _ value: String, _ isSecret: Bool
    ) -> String {
        if values.isEmpty { return "\(what) is missing" }
        if isSecret { return "\(what) has another value" }
        return "\(what) is \(values.map(Redaction.printable).joined(separator: ", ")), and not \(value)"
    }

    /// The body is this text in UTF-8.
    public static func body(_ text: String) -> StubMatcher {
        let bytes = Bytes(text)
        return StubMatcher("body of \(bytes.count) bytes (\(hash(bytes)))", needsBody: true) { subject in
            guard let body = subject.body, body != bytes else {
                return subject.body == nil ? "the body is missing" : nil
            }
            return "the body differs (\(body.count) bytes, and not \(bytes.count))"
        }
    }

    /// The body is JSON that is equal to this value, in any order of members and with any white space.
    public static func json(_ value: some Encodable) -> StubMatcher {
        guard let wanted = (try? JSONEncoder().encode(value)).flatMap({ JSONValue(parsing: $0) }) else {
            return StubMatcher("JSON that cannot be encoded") { _ in "the stub's value cannot be encoded as JSON" }
        }
        return StubMatcher("JSON (\(hash(Bytes(wanted.text))))", needsBody: true) { subject in
            guard let body = subject.body, let given = JSONValue(parsing: Data(body)) else {
                return "the body is not JSON"
            }
            return given.firstDifference(from: wanted).map { "the JSON of the body differs at \($0)" }
        }
    }

    /// The scenario is in this state: see ``StubRoute/moves(to:of:)``. Every scenario begins in the state `start`.
    public static func state(_ state: String, of scenario: String) -> StubMatcher {
        StubMatcher("\(scenario) in the state \(state)") { subject in
            let current = subject.states[scenario] ?? StubTransport.firstState
            return current == state ? nil : "\(scenario) is in the state \(current), and not \(state)"
        }
    }

    /// A condition of your own.
    /// - Parameters:
    ///   - description: the condition in words, for the error of a request that does not meet it.
    ///   - matches: returns whether a request meets the condition. The closure must not use the stub, which waits for it.
    public static func matching(
        _ description: String, _ matches: @escaping @Sendable (Request) -> Bool
    ) -> StubMatcher {
        StubMatcher(description) { matches($0.request) ? nil : "the request is not \(description)" }
    }

    private static func isSecret(_ name: String, isField: Bool, _ redaction: Redaction) -> Bool {
        if isField, let name = HTTPField.Name(name) { return redaction.isSecret(field: name) }
        return redaction.isSecret(name)
    }

    /// A name with its value, unless that is secret.
    private static func words(_ name: String, _ value: String, isField: Bool) -> String {
        isSecret(name, isField: isField, .standard) ? "\(name) (\(hash(Bytes(value))))" : "\(name)=\(value)"
    }

    /// A short mark that tells bodies apart in a description, which must not show them.
    private static func hash(_ bytes: Bytes) -> String {
        let value = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(value, radix: 16)
    }
}
