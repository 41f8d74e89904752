// GraphQLQuery: the JSON that carries a query of GraphQL.

package enum GraphQLQuery {
    /// The query, and the text of the variables after it.
    static func parts(of text: String) -> (query: String, variables: String?) {
        let text = text.replacing("\r\n", with: "\n")
        guard let start = text.firstRange(of: "\nvariables ") else { return (text, nil) }
        return (String(text[..<start.lowerBound]), String(text[start.upperBound...]))
    }

    /// The body for a query. A line `variables { … }` after it gives the variables as JSON.
    package static func json(of text: String) -> String {
        var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        var variables: String?
        if let index = lines.firstIndex(where: { $0.drop { $0 == " " }.hasPrefix("variables") }) {
            let found = String(lines[index...].joined(separator: "\n").drop { $0 != "{" })
            if let json = try? JSONValue(found) {
                variables = json.compactText
                lines.removeSubrange(index...)
            }
        }
        while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
        let query = "\"query\":\(JSONSyntax.string(lines.joined(separator: "\n")))"
        return variables.map { "{\(query),\"variables\":\($0)}" } ?? "{\(query)}"
    }
}
