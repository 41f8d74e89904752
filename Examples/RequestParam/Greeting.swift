// Greeting: one call of the API, as a pair of classes for its request and its response.

import Tsubame

final class GreetingRequest: RequestParam<GreetingResponse> {
    private let word: String

    init(_ method: HTTPRequest.Method, word: String) {
        self.word = word
        super.init(method)
    }

    override var path: RequestPath { "keyvalue" }
    override var parameters: Parameters { ["word": word] }

    override func afterResponse(_ response: Response) {
        print("\(method) is over: \(response.status)")
    }
}

final class GreetingResponse: ResponseParam {
    private(set) var message = ""
    private(set) var expression = ""
    private(set) var resultCode: Int?

    override func setData() {
        message = values["message"] ?? ""
        expression = values["expression"] ?? ""
        resultCode = values["resultCode"].flatMap { Int($0) }
    }
}
