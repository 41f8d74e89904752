// HttpClient: a form login by POST that reports to a delegate.
// The name is the second argument. The password is read from standard input and never shown.

import Foundation
import Tsubame

let arguments = CommandLine.arguments.dropFirst()
let signIn = SignIn(arguments.first ?? "http://127.0.0.1:8080")

print("Password?")
signIn.start(name: arguments.dropFirst().first ?? "swallow", password: readLine() ?? "")
dispatchMain()
