// Greeting: one call of the API, as a pair of classes for its request and its response.

import Tsubame

final class GreetingRequest: RequestParam<GreetingResponse> {
    override var path: RequestPath { "keyvalue" }
    override var parameters: Parameters { ["word": "春 & 秋=燕"] }
    override var messageType: String { "greeting" }

    override func afterResponse(_ answer: GreetingResponse) {
        print("\(method) is over: \(answer.statusCode), \(answer.message)")
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
