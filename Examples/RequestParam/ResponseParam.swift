// ResponseParam: a response as a class to subclass, in the format `key1=value1&key2=value2&…&END`.

import KeyValueAPI
import Tsubame

/// A response that has arrived completely with a successful status.
class ResponseParam {
    let statusCode: Int
    /// The server's error message; empty if there was no error.
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
