-- work.lua ROUNDS: calls, tables, a sort with a function in Lua, strings.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local function tree(d) if d == 0 then return {} end return {tree(d - 1), tree(d - 1)} end
local function size(t) if t[1] then return 1 + size(t[1]) + size(t[2]) end return 1 end
local keys, sum = {}, 0
for i = 1, 40000 do keys[i] = i * 7919 % 100003 end
for _ = 1, tonumber(arg[1]) do
	sum = sum + fib(22) + size(tree(12))
	local copy, words = {}, {}
	for i = 1, #keys do copy[i] = keys[i] end
	table.sort(copy, function(a, b) return a < b end)
	for i = 1, 10000 do words[i] = string.format("%d:%x", i, i * 31) end
	for word in table.concat(words, ","):gmatch("%d+:(%x+)") do sum = sum + #word end
end
print(sum)
