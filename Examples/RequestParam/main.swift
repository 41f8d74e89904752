// RequestParam: a request and its response as a pair of classes to subclass.
// It makes four calls: GET and POST, each first with a blocking wait and then through a delegate.

import Foundation
import KeyValueAPI
import Tsubame

do {
    let base = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
    let common = CommonParameters(
        messageType: "viewer", installation: try .stored(for: "tsubame-examples"), timeZone: .current)
    let api = Client(base) { $0.interceptors = [common] }
    let viewer = Viewer(api)
    for method in [HTTPRequest.Method.get, .post] { viewer.perform(GreetingRequest(method)) }
    for method in [HTTPRequest.Method.get, .post] { viewer.start(GreetingRequest(method)) }
    withExtendedLifetime(viewer) { dispatchMain() }
} catch {
    print(error)
    exit(1)
}
