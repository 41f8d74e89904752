// Origin 1: a request and its response as a pair of classes to subclass.
// What is received: `key1=value1&key2=value2&…&END`.

import Tsubame

/// What is received, once the whole of it is there and its status is a good one.
class ResponseParam {
    let statusCode: Int
    /// What went wrong at the server, in its words; empty if nothing did.
    let errorMessage: String
    let values: Parameters

    required init(_ response: Response) throws {
        statusCode = response.statusCode
        values = try response.keyValues(terminator: "END")
        errorMessage = values["errorMessage"] ?? ""
        setData()
    }

    /// Fills a subclass's typed fields from the values.
    func setData() {}
}
