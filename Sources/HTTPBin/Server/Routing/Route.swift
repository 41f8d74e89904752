// Route: a path with placeholders, its methods and its endpoint.
#if Server
import HummingbirdCore

/// Hummingbird's router answers 404 to a wrong method and does not answer OPTIONS. httpbin's clients expect 405 with
/// Allow, so the few routes are matched here.
struct Route: Sendable {
    /// Functions assigned to it are `async` even if they never wait: Swift 6.3.1 crashes on the conversion in a static.
    typealias Endpoint = @Sendable (Exchange) async throws -> Response

    enum Methods: Sendable {
        case any
        case only([String])

        static let get = Methods.only(["GET"])
        static let all = Methods.only(["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"])
    }

    private enum Segment {
        case literal(String)
        /// Matches one non-empty segment that ends with the suffix; captures the text before the suffix.
        case placeholder(suffix: String)
        /// Matches the rest of the path, which may not be empty.
        case rest
    }

    /// The path as it is written, such as `/redirect/{n}`.
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

    /// The texts that the placeholders match; nil if the path does not match.
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
