// in-server PORT URL: a Hummingbird server whose handler makes one call to the URL.

import Hummingbird
import Logging
import Tsubame

let arguments = CommandLine.arguments
guard arguments.count == 3, let port = Int(arguments[1]) else {
    print("usage: in-server PORT URL")
    throw CancellationError()
}
let url = arguments[2]
let client = Client()
let router = Router()
router.get("/") { _, _ in
    try await client.get(url: url).text()
}
// The same server without a call, to tell what the call costs.
router.get("/alone") { _, _ in "alone" }
var logger = Logger(label: "in-server")
logger.logLevel = .error
let server = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
try await server.runService()
