// Timeline: a user's timeline, decoded from XML.

#if XML
import Tsubame
import TsubameXML

struct Timeline: Decodable {
    struct Status: Decodable {
        let text: String
        let user: User
    }

    struct User: Decodable {
        let name: String
    }

    let status: [Status]

    /// The request for a user's timeline. A name with a slash or a question mark is still one segment.
    static func request(of user: String) -> Request {
        var request = Request(.get, "timeline/\(user).xml")
        // An HTTP error is a failure of the transfer.
        request.requiresAcceptedStatus = true
        return request
    }
}
#endif
