// SignIn: a form login by POST that reports to a delegate.
// The client keeps the cookie of the login, which opens the page that needs it.

import Foundation
import Tsubame

/// Signs in, then asks the server which account is signed in.
final class SignIn: CallDelegate {
    private struct Account: Decodable {
        let name: String
    }

    private let api: Client
    private var login: Call?

    init(_ base: String) {
        api = Client(base) { $0.cookies = .memory }
    }

    func start(name: String, password: String) {
        var request = Request(.post, "login", body: .form(["name": name, "password": password]))
        request.cachePolicy = .reload
        request.timeouts.total = .seconds(30)
        login = api.start(request, delegate: self)
    }

    func call(_ call: Call, didFinish response: Response) {
        do throws(CallError) {
            if call === login {
                try response.accepted()
                print("signed in: \(response.status)")
                api.start(Request(.get, "me"), delegate: self)
            } else {
                print("signed in as \(try response.json(Account.self).name)")
                exit(0)
            }
        } catch {
            self.call(call, didFailWith: error)
        }
    }

    func call(_ call: Call, didFailWith error: CallError) {
        print("not signed in: \(error)")
        exit(1)
    }
}
