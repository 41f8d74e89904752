// Viewer: a delegate that shows the ends of calls, which it starts or waits for.

import Foundation
import Tsubame

/// Starts any number of calls at once, and ends the program when all have ended.
final class Viewer: EndpointDelegate {
    private let api: Client
    private var running = 0
    private var hasFailed = false
    /// The call that this thread waits for.
    private var waiting: GreetingRequest?

    init(_ api: Client) { self.api = api }

    /// Blocks this thread until the call has ended. The delegate methods are called as for a call that was started.
    func perform(_ greeting: GreetingRequest) {
        waiting = greeting
        do throws(CallError) {
            endpoint(greeting, didFinish: try api.blocking.send(greeting))
        } catch {
            endpoint(greeting, didFailWith: error)
        }
    }

    func start(_ greeting: GreetingRequest) {
        running += 1
        api.start(greeting, delegate: self)
    }

    func endpoint(_ greeting: GreetingRequest, didFinish answer: GreetingResponse) {
        let values = "\(answer.message), \(answer.expression), \(answer.resultCode ?? -1)"
        let text = answer.errorMessage.isEmpty ? values : "error: \(answer.errorMessage)"
        end(greeting, ": \(answer.statusCode), \(text)")
    }

    func endpoint(_ greeting: GreetingRequest, didFailWith error: CallError) {
        hasFailed = true
        end(greeting, " failed: \(error)")
    }

    private func end(_ greeting: GreetingRequest, _ text: String) {
        let isSynchronous = greeting === waiting
        print("\(isSynchronous ? "synchronous" : "asynchronous") \(greeting.method)\(text)")
        if isSynchronous { return }
        running -= 1
        if running == 0 { exit(hasFailed ? 1 : 0) }
    }
}
