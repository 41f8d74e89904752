// StubPattern: the requests that a route of a StubTransport answers.

internal import HTTPTypes
internal import TsubameCore

/// A method, or any method, and a path, or the beginning of a path.
struct StubPattern: Sendable, Hashable, CustomStringConvertible {
    /// How well a pattern fits; a greater rank fits better.
    struct Rank: Comparable {
        let isExact: Bool
        /// Whether the pattern gives the whole path, and not one below the client's base.
        let isWhole: Bool
        let length: Int
        let hasMethod: Bool

        static func < (left: Rank, right: Rank) -> Bool {
            func key(_ rank: Rank) -> (Int, Int, Int, Int) {
                (rank.isExact ? 1 : 0, rank.isWhole ? 1 : 0, rank.length, rank.hasMethod ? 1 : 0)
            }
            return key(left) < key(right)
        }
    }

    let method: HTTPRequest.Method?
    /// A path that starts with `/` or a scheme.
    let path: String
    let isPrefix: Bool

    init(method: HTTPRequest.Method?, path: String) {
        self.method = method
        isPrefix = path.hasSuffix("*")
        let path = isPrefix ? String(path.dropLast()) : path
        self.path = path.hasPrefix("/") || Self.hasScheme(path) ? path : "/" + path
    }

    var description: String { "\(method?.rawValue ?? "any method") \(path)\(isPrefix ? "*" : "")" }

    private static func hasScheme(_ path: String) -> Bool { path.hasPrefix("http://") || path.hasPrefix("https://") }

    /// The rank of the pattern for a request; nil if the pattern does not fit.
    /// - Parameter original: the request as the call wrote it, perhaps with a path below the client's base.
    func rank(of request: Request, as original: Request) -> Rank? {
        guard method == nil || method == request.method, let uri = request.uri else { return nil }
        let whole = Self.hasScheme(path) ? uri.origin.description + uri.target : uri.target
        if let rank = rank(whole, isWhole: true) { return rank }
        guard case .path(let below, _) = original.target else { return nil }
        let written = below.encoded.prefix { $0 != "?" }
        // The request may differ from the original after a redirect.
        guard uri.path.hasSuffix(written) else { return nil }
        return rank(written + (uri.query.map { "?" + $0 } ?? ""), isWhole: false)
    }

    /// How a request differs from the pattern, and how alike the paths are: the number of bytes that agree from the start,
    /// or the largest number if the path fits.
    func differences(from request: Request, as original: Request) -> (differences: [String], likeness: Int) {
        var differences: [String] = []
        if let method, method != request.method {
            differences.append("the method is \(request.method.rawValue), and not \(method.rawValue)")
        }
        guard let uri = request.uri else { return (differences + ["the request has no URL"], 0) }
        var anyMethod = request
        if let method { anyMethod.method = method }
        if rank(of: anyMethod, as: original) != nil { return (differences, .max) }
        let isQuery = path.contains("?") && uri.path == path.prefix { $0 != "?" }
        differences.append(isQuery ? "the query differs" : "the path is \(uri.path)")
        return (differences, likeness(of: uri, as: original))
    }

    private func likeness(of uri: TargetURI, as original: Request) -> Int {
        func agreeing(_ text: String) -> Int { zip(text.utf8, path.utf8).prefix { $0 == $1 }.count }
        if Self.hasScheme(path) {
            let origin = uri.origin.description
            return max(agreeing(origin + uri.path) - origin.utf8.count, 0)
        }
        let written = if case .path(let below, _) = original.target { agreeing(below.encoded) } else { 0 }
        return max(agreeing(uri.path), written)
    }

    private func rank(_ target: some StringProtocol, isWhole: Bool) -> Rank? {
        let candidate = path.contains("?") ? String(target) : String(target.prefix { $0 != "?" })
        guard isPrefix ? candidate.hasPrefix(path) : candidate == path else { return nil }
        return Rank(isExact: !isPrefix, isWhole: isWhole, length: path.utf8.count, hasMethod: method != nil)
    }
}
