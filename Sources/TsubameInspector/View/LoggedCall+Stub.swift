// LoggedCall+Stub: a call as the lines of a stub that answers the same.

import HTTPTypes
package import TsubameCore

extension LoggedCall {
    /// The fields that follow from the body, or that belong to the connection.
    private static let leftOut: Set<String> = [
        "connection", "content-encoding", "content-length", "date", "keep-alive", "transfer-encoding",
    ]

    /// The lines for a `StubTransport` of TsubameTesting that gives the answers of this call: one route for each method and path,
    /// with its answers in order.
    package static func stub(of entries: [HTTPArchive.Entry], failure: CallError?) -> String {
        var routes: [(route: String, answers: [String])] = []
        for (index, entry) in entries.enumerated() {
            let route = "stub.on(\(method(entry.request.method)), \(Request.literal(path(entry.request.url))))"
            var answer = self.answer(entry.response)
            if entry.response.status == 0 {
                guard let failure, index == entries.count - 1 else { continue }
                answer = ".fail(CallError(.\(failure.kind.rawValue), \(Request.literal(failure.reason))))"
            }
            if let known = routes.firstIndex(where: { $0.route == route }) {
                routes[known].answers.append(answer)
            } else {
                routes.append((route, [answer]))
            }
        }
        return routes.map { ([$0.route] + $0.answers).joined(separator: "\n    ") }.joined(separator: "\n")
    }

    private static func method(_ name: String) -> String {
        HTTPRequest.Method(name).map { Request.literal($0) } ?? ".get"
    }

    /// The path with its query. A query with a withheld value would never be equal to that of a request, so it is left out.
    private static func path(_ url: String) -> String {
        guard let scheme = url.firstRange(of: "://"), let slash = url[scheme.upperBound...].firstIndex(of: "/") else {
            return "/"
        }
        let target = url[slash...].prefix { $0 != "#" }
        return String(target.contains(Redaction.placeholder) ? target.prefix { $0 != "?" } : target)
    }

    private static func answer(_ response: HTTPArchive.Response) -> String {
        var arguments = response.status == 200 ? [] : ["status: .init(code: \(response.status))"]
        let fields = response.headers.filter { field in
            !leftOut.contains(field.name.lowercased())
                || (response.content.isCoded && field.name.lowercased() == "content-encoding")
        }
        if !fields.isEmpty {
            let pairs = fields.map { "\(Request.literal($0.name)): \(Request.literal($0.value))" }
            arguments.append("headers: [\(pairs.joined(separator: ", "))]")
        }
        if let text = response.content.text, !text.isEmpty {
            if response.content.encoding == nil {
                arguments.append("body: Bytes(\(Request.literal(text)))")
            } else {
                arguments.append("body: Bytes(Data(base64Encoded: \(Request.literal(text))) ?? Data())")
            }
        }
        return ".respond(\(arguments.joined(separator: ", ")))"
    }
}
