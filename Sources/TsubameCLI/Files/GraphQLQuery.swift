// GraphQLQuery: the JSON that carries a query of GraphQL.

import TsubameRequestFiles

enum GraphQLQuery {
    /// The body for a query. A line `variables { … }` after it gives the variables as JSON.
    static func json(of text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var variables = ""
        if let index = lines.firstIndex(where: { $0.drop { $0 == " " }.hasPrefix("variables") }) {
            variables = lines[index...].joined(separator: "\n")
            variables = String(variables.drop { $0 != "{" })
            lines.removeSubrange(index...)
        }
        let query = "\"query\":\(JSONSyntax.string(lines.joined(separator: "\n")))"
        return variables.isEmpty ? "{\(query)}" : "{\(query),\"variables\":\(variables)}"
    }
}
