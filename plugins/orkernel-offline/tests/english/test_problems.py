"""Word problems written for these tests, each with its optimal value found independently.

The optimum of each was computed from matrices written by hand, not from the reader.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PROBLEMS: dict[str, tuple[float, str]] = {
    "kayaks": (
        9820.0,
        "A boat yard builds kayaks and rowing boats. Each kayak takes 14 hours of carpentry and "
        "6 hours of varnishing, and each rowing boat takes 20 hours of carpentry and 10 hours "
        "of varnishing. There are 420 hours of carpentry and 200 hours of varnishing available "
        "this month. A kayak brings a profit of $310 and a rowing boat brings a profit of $480. "
        "How many kayaks and rowing boats should the yard build to maximize its profit?",
    ),
    "diet-porridge": (
        2.4,
        "A hiker plans her breakfast from oat flakes and dried fruit. One ounce of oat flakes "
        "contains 110 calories and 4 grams of protein. One ounce of dried fruit contains 80 "
        "calories and 1 gram of protein. She needs at least 880 calories and at least 20 grams "
        "of protein. Oat flakes cost $0.30 per ounce and dried fruit costs $0.25 per ounce. How "
        "many ounces of each should she pack to minimize the cost?",
    ),
    "posters": (
        810.0,
        "A print shop sells framed posters and plain posters. The profit on each framed poster "
        "is $22 and the profit on each plain poster is $9. A framed poster needs 3 sheets of "
        "card and a plain poster needs 1 sheet of card. The shop has 90 sheets of card. At "
        "least twice as many plain posters as framed posters must be printed. What is the "
        "largest profit the shop can make?",
    ),
    "vans-share": (
        655.0,
        "A courier hires vans and cargo bikes. A van carries 60 parcels per round and costs $45 "
        "per round, while a cargo bike carries 18 parcels per round and costs $10 per round. At "
        "least 900 parcels must be delivered. No more than 40% of the rounds may be made by "
        "cargo bike. How many rounds of each should be scheduled to minimize the total cost?",
    ),
    "three-cheese": (
        966.0,
        "A dairy makes brie, gouda and cheddar. Each wheel of brie needs 9 liters of milk, each "
        "wheel of gouda needs 12 liters of milk and each wheel of cheddar needs 15 liters of "
        "milk. The dairy can use up to 600 liters of milk per day. The profits per wheel of "
        "brie, gouda and cheddar are $14, $20 and $23 respectively. At most 25 wheels of gouda "
        "can be sold per day. At least 8 wheels of brie must be made. How many wheels of each "
        "cheese should be made each day to maximize profit?",
    ),
    "invest": (
        2080.0,
        "An investor has $40,000 to put into bonds and shares. Bonds return 4% per year and "
        "shares return 7% per year. The amount invested in bonds must be at least one and a "
        "half times the amount invested in shares. How much should be invested in each to "
        "maximize the yearly return?",
    ),
    "ads": (
        150000.0,
        "A museum can advertise on radio and on billboards. Each radio spot reaches 7000 people "
        "and costs $300. Each billboard reaches 4000 people and costs $150. The museum's "
        "advertising budget is $6000. It wants at least 10 radio spots and no more than 24 "
        "billboards. How many of each should it buy to reach the largest number of people?",
    ),
    "factory-hours": (
        452.0,
        "Two presses, press 1 and press 2, stamp hinges and brackets. Press 1 stamps 40 hinges "
        "and 25 brackets per hour. Press 2 stamps 30 hinges and 50 brackets per hour. Press 1 "
        "uses 8 kWh of power per hour and press 2 uses 11 kWh of power per hour. At least 1800 "
        "hinges and 1700 brackets are required. How many hours should each press run to "
        "minimize the power used?",
    ),
    "greenhouse": (
        1800.0,
        "A greenhouse grows orchids and ferns. There are 300 square feet of bench space. An "
        "orchid takes up 2 square feet and a fern takes up 3 square feet. The number of ferns "
        "must not exceed the number of orchids. Each orchid sells for $12 and each fern sells "
        "for $15. How many of each plant should be grown to maximize revenue?",
    ),
    "bakers": (
        122.4,
        "A bakery bakes rye loaves and wheat loaves in two ovens, a stone oven and a steel "
        "oven. A rye loaf needs 12 minutes in the stone oven and 5 minutes in the steel oven. A "
        "wheat loaf needs 8 minutes in the stone oven and 10 minutes in the steel oven. Each "
        "oven can be used for at most 480 minutes a day. The profit is $2.50 per rye loaf and "
        "$2.20 per wheat loaf. How many loaves of each kind should be baked to maximize the "
        "daily profit?",
    ),
    "nurses": (
        15.0,
        "A care home employs full-time and part-time carers. Full-time carers work 8 hours per "
        "day and are paid $160 per day. Part-time carers work 5 hours per day and are paid $90 "
        "per day. The home needs at least 120 hours of care per day and its daily wage budget "
        "is $2400. How many carers of each type should be employed to minimize the total number "
        "of carers?",
    ),
    "tables": (
        1700.0,
        "A joiner makes dining tables and coffee tables. To make one dining table takes 5 "
        "planks and 4 hours of work. To make one coffee table takes 2 planks and 3 hours of "
        "work. The joiner has 60 planks and 66 hours of work available. If a dining table earns "
        "him $120 and a coffee table earns him $70, how many of each should he make to earn the "
        "most money?",
    ),
    "fertilizer": (
        29.0,
        "A gardener blends two composts, compost P and compost Q. Each kilogram of compost P "
        "contains 3 units of nitrogen and 2 units of potash, and costs $4. Each kilogram of "
        "compost Q contains 1 unit of nitrogen and 5 units of potash, and costs $3. The blend "
        "must contain at least 18 units of nitrogen and no less than 25 units of potash. Find "
        "the cheapest blend.",
    ),
    "school-trip": (
        2290.0,
        "A school takes pupils to a lake in minibuses and coaches. A minibus seats 14 pupils "
        "and a coach seats 48 pupils. 420 pupils must be taken. Hiring a minibus costs $90 and "
        "hiring a coach costs $250. The school can hire at most 7 coaches. How many minibuses "
        "and coaches should be hired to minimize the cost?",
    ),
    "candles": (
        412.0,
        "A candle maker produces pillar candles and jar candles. Pillar candles require 200 "
        "grams of wax and 15 minutes of work, whereas jar candles require 150 grams of wax and "
        "25 minutes of work. She has 12 kg of wax and 20 hours of work available each week. "
        "Pillar candles are sold at a profit of $6 each and jar candles at a profit of $7 each. "
        "How many of each candle should she make per week to maximize profit?",
    ),
    "robots": (
        13.0,
        "A warehouse buys small robots and big robots. A small robot moves 35 pallets per shift "
        "and draws 2 kW of power. A big robot moves 80 pallets per shift and draws 5 kW of "
        "power. At least 700 pallets have to be moved per shift and at most 60 kW of power can "
        "be drawn. There must be exactly 6 big robots. How many robots of each size should be "
        "bought to minimize the total number of robots?",
    ),
    "honey": (
        372.0,
        "A beekeeper fills tall jars and squat jars. A tall jar holds 400 ml of honey and a "
        "squat jar holds 250 ml of honey. She has 30,000 ml of honey. At least a quarter of the "
        "jars must be squat jars. Each tall jar gives a profit of $5 and each squat jar gives a "
        "profit of $3. How many jars of each sort should she fill for the greatest profit?",
    ),
    "crops": (
        19150.0,
        "A grower has 80 hectares on which to plant barley and lentils. Each hectare of barley "
        "needs 3 days of labor and each hectare of lentils needs 5 days of labor. There are 310 "
        "days of labor available. The profit per hectare is $200 for barley and $290 for "
        "lentils. How many hectares of each crop should be planted to maximize profit?",
    ),
    "drinks": (
        108.0,
        "A cafe prepares a mango drink and a berry drink. The mango drink uses 30 ml of syrup "
        "and 200 ml of milk; the berry drink uses 45 ml of syrup and 150 ml of milk. The cafe "
        "has 1.8 liters of syrup and 9 liters of milk. It earns $2 on each mango drink and "
        "$2.40 on each berry drink. How many of each drink should it prepare to maximize its "
        "earnings?",
    ),
    "kennel": (
        274.0,
        "A kennel feeds its dogs a dry food and a wet food. A bag of dry food provides 40 units "
        "of protein and 10 units of fat. A can of wet food provides 15 units of protein and 12 "
        "units of fat. The dogs need a minimum of 600 units of protein and 240 units of fat a "
        "week. A bag of dry food costs $18 and a can of wet food costs $7. What is the minimum "
        "weekly cost?",
    ),
    "ferries": (
        625.0,
        "Islanders cross a strait by ferry or by water taxi. A ferry can take 80 passengers per "
        "crossing and a water taxi can take 9 passengers per crossing. Each ferry crossing "
        "burns 50 liters of fuel and each water taxi crossing burns 6 liters of fuel. There are "
        "400 liters of fuel. The number of water taxi crossings has to be at least three times "
        "the number of ferry crossings. Maximize the number of passengers that can cross.",
    ),
    "toys": (
        375.0,
        "A workshop assembles trains, cars and planes from wood. A train needs 4 blocks of "
        "wood, a car needs 2 blocks of wood, and a plane needs 3 blocks of wood. Painting takes "
        "10 minutes for a train, 6 minutes for a car and 9 minutes for a plane. The workshop "
        "has 150 blocks of wood and 450 minutes for painting. It makes a profit of $9 per "
        "train, $5 per car and $7 per plane. It cannot sell more than 20 trains. How many of "
        "each toy should be assembled to maximize total profit?",
    ),
    "solar": (
        12750.0,
        "A village installs roof panels and ground panels. A roof panel yields 3 kWh per day "
        "and a ground panel yields 5 kWh per day. A roof panel costs $400 and a ground panel "
        "costs $750. The village needs at least 90 kWh per day. Because roofs are scarce, there "
        "can be no more than 18 roof panels. Determine how many panels of each kind keep the "
        "cost lowest.",
    ),
    "cleaning": (
        96.0,
        "A firm cleans offices with day crews and night crews. A day crew cleans 5 offices per "
        "shift and needs 3 people. A night crew cleans 7 offices per shift and needs 5 people. "
        "The firm has 60 people. At least 2 night crews are needed. How many crews of each type "
        "maximize the number of offices cleaned?",
    ),
    "bookshop": (
        860.0,
        "A bookshop orders novels and atlases. A novel costs the shop $8 and an atlas costs the "
        "shop $20. The shop can spend no more than $1200 on its order. Every novel sold brings "
        "$6 of profit and every atlas sold brings $13 of profit. It expects to sell at least 30 "
        "novels but not more than 100 novels. How many of each should it order to make the "
        "profit as large as possible?",
    ),
    "soap": (
        279.0,
        "A soap maker sells lavender bars and mint bars. A lavender bar uses 5 ounces of oil "
        "and 2 ounces of lye. A mint bar uses 4 ounces of oil and 3 ounces of lye. On hand are "
        "400 ounces of oil and 210 ounces of lye. Lavender bars yield a profit of $3, and mint "
        "bars yield a profit of $3.50. At least half of the bars must be lavender bars. How "
        "many bars of each type should be made to maximize profit?",
    ),
    "trucks-ton": (
        1930.0,
        "A quarry moves gravel with dump trucks and trailers. A dump truck moves 12 tons of "
        "gravel per trip and a trailer moves 30 tons of gravel per trip. A trip by dump truck "
        "takes 40 minutes and a trip by trailer takes 95 minutes. The quarry must move 600 tons "
        "of gravel. The number of trailer trips cannot be more than the number of dump truck "
        "trips. How many trips of each should be made to minimize the total time?",
    ),
    "tea": (
        604.0,
        "A tea house packs a morning blend and an evening blend. Each box of the morning blend "
        "contains 60 grams of assam and 20 grams of mint. Each box of the evening blend "
        "contains 25 grams of assam and 50 grams of mint. The tea house has 6000 grams of assam "
        "and 5000 grams of mint in stock. The profit per box is $4 for the morning blend and "
        "$4.50 for the evening blend. How many boxes of each blend should be packed to maximize "
        "profit?",
    ),
    "hotel": (
        3380.0,
        "A hotel furnishes single rooms and double rooms. Furnishing a single room costs $900 "
        "and furnishing a double room costs $1400. The budget for furniture is $50,000. A "
        "single room earns $60 a night and a double room earns $95 a night. The hotel wants at "
        "least 10 single rooms and at least 15 double rooms. How many rooms of each type should "
        "be furnished to maximize the earnings per night?",
    ),
    "chairs-limit": (
        1314.0,
        "A factory turns out stools and armchairs. Every stool requires 1.5 hours of sanding "
        "and every armchair requires 4 hours of sanding. The factory can sand for at most 120 "
        "hours a week. In total, the factory can ship at most 50 pieces a week, and it must "
        "ship at least 12 armchairs. The profit is $18 per stool and $41 per armchair. How many "
        "stools and armchairs should be produced weekly to maximize the profit?",
    ),
    "medic": (
        10.0,
        "A patient takes blue tablets and white tablets. Each blue tablet contains 12 mg of "
        "iron and 30 mg of calcium. Each white tablet contains 20 mg of iron and 15 mg of "
        "calcium. The patient should receive at least 160 mg of iron and at least 210 mg of "
        "calcium daily. What is the smallest number of tablets that meets these needs?",
    ),
    "sewing": (
        812.0,
        "A tailor sews capes and vests. A cape uses 3 yards of wool and a vest uses 1 yard of "
        "wool. A cape takes 4 hours to sew and a vest takes 2 hours to sew. The tailor has 45 "
        "yards of wool and 70 hours. Because vests sell well, he sews at least three times as "
        "many vests as capes. He makes $50 on a cape and $22 on a vest. How many of each should "
        "he sew to maximize his income?",
    ),
    "server": (
        3360.0,
        "A data centre rents small servers and large servers. A small server stores 2 terabytes "
        "and draws 150 watts. A large server stores 9 terabytes and draws 500 watts. At least "
        "108 terabytes must be stored and at most 7000 watts may be drawn. Renting a small "
        "server costs $70 a month and renting a large server costs $280 a month. How many "
        "servers of each size give the lowest monthly cost?",
    ),
    "fish-stew": (
        270.0,
        "A canteen cooks fish stew and bean stew. A pot of fish stew feeds 25 guests and uses 6 "
        "kg of potatoes. A pot of bean stew feeds 18 guests and uses 4 kg of potatoes. The "
        "canteen has only 60 kg of potatoes. Fish stew pots must make up at most 60 percent of "
        "all pots. How many pots of each stew should be cooked to feed as many guests as "
        "possible?",
    ),
    "bikes": (
        3450.0,
        "Velo Works assembles road bikes and mountain bikes. It takes 5 hours to assemble a "
        "road bike and 7 hours to assemble a mountain bike. The shop has 210 hours of assembly "
        "time each month. Demand for road bikes is at most 30 per month, and at least 6 "
        "mountain bikes must be built. Profit is $80 on a road bike and $115 on a mountain "
        "bike. How many bikes of each type should be assembled to maximize monthly profit?",
    ),
    "juice": (
        174.5,
        "A juice bar sells carrot juice and beet juice. It has 50 kg of carrots and 36 kg of "
        "beets. A bottle of carrot juice is made from 1.25 kg of carrots and 0.2 kg of beets, "
        "while a bottle of beet juice is made from 0.25 kg of carrots and 1 kg of beets. Carrot "
        "juice earns $3 per bottle and beet juice earns $2.5 per bottle. How many bottles of "
        "each juice should be sold to maximize earnings?",
    ),
    "drones": (
        42.0,
        "An agency flies survey drones and camera drones. Survey drones cover 12 hectares per "
        "flight and camera drones cover 5 hectares per flight. Each survey drone flight needs 2 "
        "operators and each camera drone flight needs 1 operator. The agency must cover at "
        "least 240 hectares. Camera drone flights must account for at least 30% of the flights. "
        "Minimize the number of operators needed.",
    ),
    "paint": (
        293.918919,
        "A painter mixes paint from base X and base Y. Each liter of base X contains 30 grams "
        "of pigment and 200 grams of binder. Each liter of base Y contains 55 grams of pigment "
        "and 120 grams of binder. The mix must include at least 2200 grams of pigment and at "
        "least 9000 grams of binder. A liter of base X costs $5 and a liter of base Y costs $6. "
        "How many liters of each base should be used to minimize total cost?",
    ),
    "fair": (
        330.0,
        "A school fair offers pony rides and boat rides. A pony ride lasts 6 minutes and a boat "
        "ride lasts 10 minutes. There are 480 minutes of ride time. A pony ride sells for $4 "
        "and a boat ride sells for $7. At most 35 boat rides can be given, and the number of "
        "pony rides must be at least as large as the number of boat rides. How many rides of "
        "each kind bring in the highest revenue?",
    ),
    "smelter": (
        13200.0,
        "A smelter produces copper wire and copper pipe. One ton of wire needs 3 hours on the "
        "mill and 2 hours on the furnace. One ton of pipe needs 2 hours on the mill and 4 hours "
        "on the furnace. The mill is available for 60 hours and the furnace for 72 hours per "
        "week. The profit on a ton of wire is $500 and the profit on a ton of pipe is $600. How "
        "many tons of wire and pipe should be made per week to maximize profit?",
    ),
    "vet": (
        312.0,
        "A vet buys two feeds, Feed Alpha and Feed Beta, for her rabbits. Feed Alpha has 9 "
        "grams of fiber and 4 grams of protein per scoop. Feed Beta has 5 grams of fiber and 7 "
        "grams of protein per scoop. The rabbits require at least 90 grams of fiber and 80 "
        "grams of protein per day. Feed Alpha costs 20 cents per scoop and Feed Beta costs 24 "
        "cents per scoop. How many scoops of each should be fed to minimize the cost?",
    ),
    "gym": (
        40.0,
        "A gym buys treadmills and rowing machines. Treadmills occupy 30 square feet each and "
        "rowing machines occupy 20 square feet each. The gym has 900 square feet of space and a "
        "budget of $45,000. A treadmill costs $1800 and a rowing machine costs $750. It needs "
        "at least 10 treadmills. How many of each should it buy to maximize the total number of "
        "machines?",
    ),
    "charity": (
        584.0,
        "Volunteers pack food parcels and hygiene parcels. Packing a food parcel takes 8 "
        "minutes and packing a hygiene parcel takes 5 minutes. They have 20 hours in all. Each "
        "food parcel helps 4 people and each hygiene parcel helps 2 people. At least 30 hygiene "
        "parcels have to be packed. How many parcels of each kind should they pack to help the "
        "most people?",
    ),
    "shelves": (
        2000.0,
        "A carpenter produces shelves and desks. Each shelf sells for $45 and costs $20 to "
        "make. Each desk sells for $130 and costs $70 to make. A shelf requires 2 hours and a "
        "desk requires 5 hours of labor. The carpenter works at most 160 hours a month and can "
        "spend at most $2100 on materials. How many of each should be produced to maximize "
        "profit?",
    ),
    "buses3": (
        4450.0,
        "A town runs small, medium and large buses. Small buses carry 20 riders, medium buses "
        "carry 35 riders and large buses carry 60 riders. The daily cost of a small bus is "
        "$150, of a medium bus $230 and of a large bus $360. At least 700 riders must be "
        "carried each day. The town owns 12 small buses, 10 medium buses and 6 large buses. How "
        "many buses of each size should run to minimize daily cost?",
    ),
    "jam": (
        260.0,
        "Grandmother cooks plum jam and cherry jam. For a jar of plum jam she needs 0.6 kg of "
        "plums and 0.3 kg of sugar. For a jar of cherry jam she needs 0.5 kg of cherries and "
        "0.4 kg of sugar. She has 24 kg of plums, 15 kg of cherries and 20 kg of sugar. She "
        "sells a jar of plum jam for $4 and a jar of cherry jam for $5. How many jars of each "
        "should she cook to maximize her revenue?",
    ),
    "studio": (
        2070.0,
        "A studio records podcasts and audiobooks. A podcast episode requires 3 hours of "
        "recording and 2 hours of editing; an audiobook chapter requires 2 hours of recording "
        "and 4 hours of editing. Recording time is limited to 54 hours and editing time is "
        "limited to 60 hours. Each podcast episode brings in $90 and each audiobook chapter "
        "brings in $110. How many episodes and chapters should be produced to maximize income?",
    ),
    "nuts": (
        160.0,
        "A shop mixes peanuts and cashews. Peanuts cost $2 per pound and cashews cost $6 per "
        "pound. The shop wants to make at least 50 pounds of the mix. The mix must contain at "
        "least 15 pounds of cashews. What is the lowest cost of the mix?",
    ),
    "planes": (
        114000.0,
        "An airline operates turboprops and jets on a route. A turboprop has 60 seats and a jet "
        "has 150 seats. Each turboprop flight costs $4000 and each jet flight costs $9500. "
        "There must be at least 1800 seats a day. The airport allows a maximum of 22 flights a "
        "day. How many flights of each aircraft minimize the cost?",
    ),
    "farm-animals": (
        2040.0,
        "A farmer keeps goats and sheep. A goat eats 3 kg of hay a day and a sheep eats 2.5 kg "
        "of hay a day. There are 90 kg of hay a day. A goat gives a yearly profit of $70 and a "
        "sheep gives a yearly profit of $55. He wants more sheep than goats, and he has room "
        "for no more than 34 animals in total. How many of each should he keep to maximize "
        "yearly profit?",
    ),
    "software": (
        15900.0,
        "A team can build plugins and themes. A plugin takes 30 hours of coding and 5 hours of "
        "testing. A theme takes 12 hours of coding and 8 hours of testing. At most 480 coding "
        "hours and 160 testing hours are available. A plugin sells for $900 and a theme sells "
        "for $500. How many plugins and themes should be built to maximize sales?",
    ),
    "water": (
        1520.0,
        "A plant pumps water from a river and a well. Pumping from the river costs $3 per cubic "
        "meter and pumping from the well costs $5 per cubic meter. At least 400 cubic meters "
        "must be pumped. At most 60% of the water may come from the river. How many cubic "
        "meters should be pumped from each source to minimize cost?",
    ),
    "oars": (
        6.0,
        "A club buys canoes and paddles. A canoe costs $300 and a paddle costs $25. The club "
        "can spend at most $2600. For each canoe, at least 3 paddles must be bought. It needs "
        "at least 9 paddles. How many canoes and paddles should be bought to maximize the "
        "number of canoes?",
    ),
    "hooked": (
        105.0,
        "A lab can be hooked up to two pumps, pump 1 and pump 2. Pump 1 moves 4 liters of brine "
        "per minute and uses 3 units of power per minute. Pump 2 moves 7 liters of brine per "
        "minute and uses 6 units of power per minute. At least 140 liters of brine must be "
        "moved. For how many minutes should each pump run to minimize the power used?",
    ),
    "oil": (
        460.0,
        "A press makes olive oil and nut oil. To make a bottle of olive oil, 5 kg of olives and "
        "2 minutes of pressing are required. To make a bottle of nut oil, 3 kg of nuts and 4 "
        "minutes of pressing are required. There are 100 kg of olives, 90 kg of nuts and 120 "
        "minutes of pressing. Each bottle of olive oil produces a net revenue of $9 and each "
        "bottle of nut oil produces a net revenue of $14. How many bottles of each should be "
        "made so that net revenue is maximized?",
    ),
    "bars": (
        51.0,
        "A dieter eats oat bars and protein bars. Each oat bar contains 3 units of protein and "
        "180 calories. Each protein bar contains 11 units of protein and 240 calories. He can "
        "take in at most 1900 calories. He must eat at least twice as many oat bars as protein "
        "bars. How many of each should he eat to maximize his protein intake?",
    ),
    "stew-meat": (
        136.0,
        "A tavern cooks lamb pots and beef pots. Each lamb pot requires 2 units of lamb meat "
        "and 5 units of stock cubes. Each beef pot requires 3 units of beef meat and 4 units of "
        "stock cubes. There are 80 units of lamb meat and 90 units of beef meat. At least 30% "
        "of the pots must be beef pots and at least 20 lamb pots are needed. How many pots of "
        "each kind should be cooked to minimize the total amount of stock cubes used?",
    ),
    "survey": (
        66.0,
        "An office employs full time clerks and part time clerks. Full time clerks work 9 hours "
        "per shift while part time clerks work 5 hours per shift. Full time clerks are paid "
        "$220 per shift while part time clerks are paid $105 per shift. The office has a survey "
        "requiring 400 hours of labor. If the budget is $9000, how many clerks of each type "
        "should be scheduled to minimize the total number of clerks?",
    ),
    "sonar": (
        45.0,
        "A port hires sonar divers and welders. A sonar diver works 6 hours per shift while a "
        "welder works 8 hours per shift. Sonar divers cost $400 per shift and welders cost $350 "
        "per shift. There must be at least twice as many sonar divers as welders. The port "
        "needs 300 hours of sonar services. If it has a budget of $25000, how many sonar divers "
        "and welders should be scheduled to minimize the total number of shifts?",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_first_reading_has_the_known_optimum(
    name: str,
    first: Callable[[str], dict[str, Any]],
    optimum: Callable[[dict[str, Any]], float],
) -> None:
    expected, statement = PROBLEMS[name]
    assert optimum(first(statement)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_number_can_be_changed_without_the_model_noticing(
    name: str, no_number_is_lost: Callable[[str], None]
) -> None:
    no_number_is_lost(PROBLEMS[name][1])


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_limit_or_goal_can_be_reversed_without_the_model_noticing(
    name: str, no_direction_is_lost: Callable[[str], None]
) -> None:
    no_direction_is_lost(PROBLEMS[name][1])
