// Viewer: a delegate that shows the results of calls without waiting for them.

import Foundation
import Tsubame

/// Starts any number of calls at once, and ends the program when all have ended.
final class Viewer: CallDelegate {
    private let api: Client
    private var running: [UInt64: GreetingRequest] = [:]
    private var hasFailed = false

    init(_ api: Client) { self.api = api }

    func start(_ greeting: GreetingRequest) {
        let call = api.start(greeting.request, delegate: self)
        running[call.id] = greeting
    }

    func call(_ call: Call, didFinish response: Response) {
        guard let greeting = running[call.id] else { return }
        do throws(CallError) {
            show("asynchronous", greeting, try greeting.value(of: response))
        } catch {
            show("asynchronous", greeting, error)
        }
        end(call)
    }

    func call(_ call: Call, didFailWith error: CallError) {
        guard let greeting = running[call.id] else { return }
        show("asynchronous", greeting, error)
        end(call)
    }

    private func end(_ call: Call) {
        running[call.id] = nil
        if running.isEmpty { exit(hasFailed ? 1 : 0) }
    }

    func show(_ way: String, _ greeting: GreetingRequest, _ answer: GreetingResponse) {
        let text =
            answer.errorMessage.isEmpty
            ? "\(answer.message), \(answer.expression), \(answer.resultCode ?? -1)" : "error: \(answer.errorMessage)"
        print("\(way) \(greeting.method): \(answer.statusCode), \(text)")
    }

    func show(_ way: String, _ greeting: GreetingRequest, _ error: CallError) {
        print("\(way) \(greeting.method) failed: \(error)")
        hasFailed = true
    }
}
