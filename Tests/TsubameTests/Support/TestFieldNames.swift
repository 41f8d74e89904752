// TestFieldNames: names of header fields that tests make up.

import HTTPTypes
import Testing

extension HTTPField.Name {
    static let apiKey = made("X-Api-Key")
    static let token = made("X-Token")
    static let link = made("Link")

    /// A name that does not parse is an issue of the test that uses it.
    static func made(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            Issue.record("\(text) is not a field name")
            return .from
        }
        return name
    }
}
