// A path with placeholders, the methods it takes, and who answers.
#if Server
import HummingbirdCore

/// Hummingbird's router answers 404 where the method is wrong and none for OPTIONS; httpbin's clients expect
/// 405 with Allow, so the few routes are matched here.
struct Route: Sendable {
    /// Functions given as one are `async` even if they never wait: Swift 6.3.1 crashes on the conversion in a static.
    typealias Endpoint = @Sendable (Exchange) async throws -> Response

    enum Methods: Sendable {
        case any
        case only([String])

        static let get = Methods.only(["GET"])
        static let all = Methods.only(["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"])
    }

    private enum Segment {
        case literal(String)
        /// Matches one segment that is not empty and ends with the suffix; gives what stands before it.
        case placeholder(suffix: String)
        /// Matches all that is left, which may not be empty.
        case rest
    }

    /// As written, such as `/redirect/{n}`.
    let path: String
    let summary: String
    let endpoint: Endpoint
    private let methods: Methods
    private let segments: [Segment]

    init(_ path: String, _ summary: String, methods: Methods = .get, endpoint: @escaping Endpoint) {
        self.path = path
        self.summary = summary
        self.methods = methods
        self.endpoint = endpoint
        segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            if segment == "{rest}" { return .rest }
            guard segment.first == "{", let end = segment.firstIndex(of: "}") else { return .literal(String(segment)) }
            return .placeholder(suffix: String(segment[end...].dropFirst()))
        }
    }

    /// What the placeholders match, or nil if the path is another one.
    func match(_ given: [String]) -> [String]? {
        var rest = given[...]
        var parameters: [String] = []
        for segment in segments {
            guard let next = rest.popFirst() else { return nil }
            switch segment {
            case .literal(let literal):
                guard next.utf8.elementsEqual(literal.utf8) else { return nil }
            case .placeholder(let suffix):
                guard next.utf8.count > suffix.utf8.count, next.hasSuffix(suffix) else { return nil }
                parameters.append(String(next.dropLast(suffix.count)))
            case .rest:
                let joined = ([next] + rest).joined(separator: "/")
                return joined.isEmpty ? nil : parameters + [joined]
            }
        }
        return rest.isEmpty ? parameters : nil
    }

    func takes(_ method: String) -> Bool {
        switch methods {
        case .any: true
        case .only(let names): names.contains(method) || method == "HEAD" && names.contains("GET")
        }
    }

    /// The methods for the Allow field (RFC 9110 section 10.2.1).
    var allowed: String {
        var names =
            switch methods {
            case .any: ["DELETE", "GET", "PATCH", "POST", "PUT", "TRACE"]
            case .only(let names): names
            }
        if names.contains("GET") { names.append("HEAD") }
        return (names + ["OPTIONS"]).sorted().joined(separator: ", ")
    }
}

#endif
