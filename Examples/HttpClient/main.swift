// Origin 2: a form login by POST, told by delegate.
// The name is the second argument; the password is read from standard input, and shown nowhere.

import Foundation
import Tsubame

let arguments = CommandLine.arguments.dropFirst()
let signIn = SignIn(arguments.first ?? "http://127.0.0.1:8080")

print("Password?")
signIn.start(name: arguments.dropFirst().first ?? "swallow", password: readLine() ?? "")
dispatchMain()
