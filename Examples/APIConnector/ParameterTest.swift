// ParameterTest: an API call as a type whose values are set at initialisation.
// This call checks the encoding: httpbin returns the parameters that it received.

import Tsubame

struct ParameterTest: APICall {
    static let original = "!*'();:@&=+$,/?%#[]-._~ "

    let method: HTTPRequest.Method
    var path: RequestPath { method == .get ? "get" : "post" }
    var headers: RequestHeaders { [.accept: "application/json"] }
    var parameters: Parameters { ["parameterTestKey": Self.original] }
    var timeoutInterval: Duration { .seconds(10) }
    var cachePolicy: CachePolicy { .reload }

    struct Value: Decodable {
        let args: [String: String]
        let form: [String: String]?
        let url: String
    }
}
